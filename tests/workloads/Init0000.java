/** The pattern of classes whose initialiser throws; see KnownStacks. */
public final class Init0000 {
    static {
        KnownStacks.initialise();
    }

    private Init0000() {
    }
}
