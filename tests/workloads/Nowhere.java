/** A superclass for which KnownStacks' class loader throws. */
public class Nowhere {
}
