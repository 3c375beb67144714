/* Prints the nanoseconds of its thread's CPU that one exception, or the loading of one class, takes: the median of ROUNDS equal
 * parts.
 *
 *     java EventCosts exception|class COUNT */
import java.lang.management.ManagementFactory;
import java.util.Arrays;

public class EventCosts {
    static final int ROUNDS = 11;
    static final int DEPTH = 16;

    static class Tiny {
        static int value = 1;
    }

    static class Once extends ClassLoader {
        final byte[] bytes;

        Once(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static void fail(int depth) {
        if (depth == 0)
            throw new IllegalStateException();
        fail(depth - 1);
    }

    static void exceptions(int count) {
        for (int i = 0; i < count; i++) {
            try {
                fail(DEPTH);
            } catch (IllegalStateException expected) {
                continue;
            }
        }
    }

    static void classes(int count, byte[] bytes) throws Exception {
        for (int i = 0; i < count; i++)
            Class.forName("EventCosts$Tiny", true, new Once(bytes));
    }

    public static void main(String[] arguments) throws Exception {
        boolean isClass = arguments[0].equals("class");
        int count = Integer.parseInt(arguments[1]) / ROUNDS;
        var thread = ManagementFactory.getThreadMXBean();
        double[] rounds = new double[ROUNDS];
        byte[] bytes;
        try (var stream = EventCosts.class.getResourceAsStream("EventCosts$Tiny.class")) {
            bytes = stream.readAllBytes();
        }
        for (int round = -3; round < ROUNDS; round++) {
            long start = thread.getCurrentThreadCpuTime();
            if (isClass)
                classes(count, bytes);
            else
                exceptions(count);
            if (round >= 0)
                rounds[round] = (thread.getCurrentThreadCpuTime() - start) / (double) count;
        }
        Arrays.sort(rounds);
        System.out.printf("%.1f%n", rounds[ROUNDS / 2]);
    }
}
