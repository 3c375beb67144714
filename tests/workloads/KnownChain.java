/**
 * A chain of tiny methods, each called from one place only, run for so many milliseconds (the argument): whatever moment a
 * sample meets, its stack is f, e, d, c, b, a, run, main from some point on, with none left out. To be run with inlining of
 * KnownChain's methods forbidden.
 */
public final class KnownChain {
    private static int sum;

    private KnownChain() {
    }

    static int f(int x) {
        return x * 31 + 1;
    }

    static int e(int x) {
        return f(x) + 3;
    }

    static int d(int x) {
        return e(x) ^ 5;
    }

    static int c(int x) {
        return d(x) + 7;
    }

    static int b(int x) {
        return c(x) - 9;
    }

    static int a(int x) {
        return b(x) + 1;
    }

    static int run(int count) {
        int result = 0;

        for (int i = 0; i < count; i++) {
            result += a(i);
        }
        return result;
    }

    public static void main(String[] arguments) {
        long end = System.currentTimeMillis() + Long.parseLong(arguments[0]);

        while (System.currentTimeMillis() < end) {
            sum += run(1000);
        }
        System.out.println("{\"sum\": " + sum + "}");
    }
}
