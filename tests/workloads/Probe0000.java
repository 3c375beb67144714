import java.util.function.Supplier;

/**
 * The pattern from which KnownStacks makes a class for each of its exceptions, by writing other digits into its bytes: so the
 * class's name says which exception a record is about. The public constructor makes a factory, which fills no stack trace.
 */
@SuppressWarnings("serial")
public final class Probe0000 extends RuntimeException implements Supplier<RuntimeException> {
    public Probe0000() {
        super(null, null, false, false);
    }

    private Probe0000(String message) {
        super(message);
    }

    @Override
    public RuntimeException get() {
        return new Probe0000("made");
    }
}
