/** The pattern of classes whose superclass cannot be loaded; see KnownStacks. */
public final class Sub0000 extends Nowhere {
}
