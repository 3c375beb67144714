/**
 * Throws known numbers of exceptions that have no stack trace, all primes, and prints them as JSON; and some that have one.
 * What throws a class often is run so seldom that it stays interpreted.
 */
public final class KnownThrows {

    /** Made without one. */
    static final class Bare extends RuntimeException {
        private static final long serialVersionUID = 1;

        Bare() {
            super(null, null, false, false);
        }
    }

    /** The same object again and again. */
    static final class Kept extends RuntimeException {
        private static final long serialVersionUID = 1;

        Kept() {
            super(null, null, false, false);
        }
    }

    /** Says itself that it fills none. */
    static final class Unfilled extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** On its way through handlers that throw it on. */
    static final class Passing extends RuntimeException {
        private static final long serialVersionUID = 1;

        Passing() {
            super(null, null, false, false);
        }
    }

    private static final int BARE = 31;
    private static final int KEPT_HERE = 13;
    private static final int KEPT_DEEP = 11;
    private static final int UNFILLED = 17;
    private static final int PASSING = 5;
    private static final int OVERFLOWS = 3;
    private static final int NO_MEMORY = 7;
    private static final int FILLED = 19;

    private static final Kept KEPT = new Kept();
    private static int count;

    private KnownThrows() {
    }

    public static void main(String[] args) {
        for (int i = 0; i < BARE; i++) {
            try {
                bare(i % 7);
            } catch (Bare e) {
                count++;
            }
        }
        for (int i = 0; i < KEPT_HERE; i++) {
            try {
                throw KEPT;
            } catch (Kept e) {
                count++;
            }
        }
        for (int i = 0; i < KEPT_DEEP; i++) {
            try {
                kept(i % 5);
            } catch (Kept e) {
                count++;
            }
        }
        for (int i = 0; i < UNFILLED; i++) {
            try {
                throw new Unfilled();
            } catch (Unfilled e) {
                count++;
            }
        }
        for (int i = 0; i < PASSING; i++) {
            try {
                passing();
            } catch (Passing e) {
                count++;
            }
        }
        for (int i = 0; i < FILLED; i++) {
            try {
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                count++;
            }
        }
        for (int i = 0; i < NO_MEMORY; i++) {
            try {
                count += new int[Integer.MAX_VALUE].length;
            } catch (OutOfMemoryError e) {
                count++;
            }
        }
        for (int i = 0; i < OVERFLOWS; i++) {
            try {
                overflow(1);
            } catch (StackOverflowError e) {
                count++;
            }
        }
        System.out.println("{\"caught\": " + count + ", \"filled\": " + FILLED + ", \"by_vm\": {\"java.lang.OutOfMemoryError\": "
                + NO_MEMORY + ", \"java.lang.StackOverflowError\": " + OVERFLOWS + "}, \"by_java\": {\"KnownThrows$Bare\": " + BARE
                + ", \"KnownThrows$Kept\": " + (KEPT_HERE + KEPT_DEEP) + ", \"KnownThrows$Unfilled\": " + UNFILLED
                + ", \"KnownThrows$Passing\": " + PASSING + "}}");
    }

    private static void bare(int depth) {
        if (depth == 0) {
            throw new Bare();
        }
        bare(depth - 1);
    }

    private static void kept(int depth) {
        if (depth == 0) {
            throw KEPT;
        }
        kept(depth - 1);
    }

    private static void passing() {
        try {
            synchronized (KEPT) {
                throw new Passing();
            }
        } finally {
            count += 0;
        }
    }

    private static int overflow(int depth) {
        return overflow(depth + 1) + 1;
    }
}
