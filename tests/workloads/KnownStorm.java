import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a virtual machine does worst, all at the same time, for so many milliseconds (the first argument): exceptions from deep
 * recursion, stack overflows, classes that are loaded, used and unloaded, compiled code that new classes invalidate, and
 * virtual threads that park. Prints as JSON how many exceptions of which class it threw. With a second argument it calls
 * System.exit with that status in the midst of it all.
 */
public final class KnownStorm {
    @SuppressWarnings("serial")
    static final class DeepException extends RuntimeException {
        DeepException() {
            super("deep");
        }
    }

    @SuppressWarnings("serial")
    static final class ParkedException extends RuntimeException {
        ParkedException() {
            super("parked");
        }
    }

    /** Each class that is made of Shape0000 overrides it once more. */
    public abstract static class Shape {
        public abstract int value(int x);
    }

    static final class Loader extends ClassLoader {
        Loader() {
            super(KnownStorm.class.getClassLoader());
        }

        Class<?> make(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private interface Body {
        void run() throws Exception;
    }

    private static final AtomicLong DEEP = new AtomicLong(), PARKED = new AtomicLong(), OVERFLOWS = new AtomicLong(),
        CLASSES = new AtomicLong(), FAILURES = new AtomicLong();
    private static volatile long end;

    private KnownStorm() {
    }

    private static byte[] bytesOf(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];

        try (InputStream in = KnownStorm.class.getResourceAsStream("/" + name + ".class")) {
            for (int n; (n = in.read(buffer)) > 0;) {
                bytes.write(buffer, 0, n);
            }
        }
        return bytes.toByteArray();
    }

    private static int down(int depth, int x) {
        if (depth == 0) {
            DEEP.incrementAndGet();
            throw new DeepException();
        }
        return down(depth - 1, x * 31 + depth) + depth;
    }

    private static void deep() {
        for (int i = 0; System.currentTimeMillis() < end; i++) {
            try {
                down(1 + i % 300, i);
                FAILURES.incrementAndGet();
            } catch (DeepException e) {
                if (e.getStackTrace().length < i % 300) {
                    FAILURES.incrementAndGet();
                }
            }
        }
    }

    private static int forever(int x) {
        return forever(x + 1) + 1;
    }

    private static void overflow() {
        while (System.currentTimeMillis() < end) {
            try {
                forever(0);
            } catch (StackOverflowError e) {
                OVERFLOWS.incrementAndGet();
            }
        }
    }

    private static int use(Shape shape, int rounds) {
        int sum = 0;

        for (int i = 0; i < rounds; i++) {
            sum += shape.value(i) - i;
        }
        return sum;
    }

    /** Each class is one more of its kind: what was compiled for fewer is given up. Then nothing holds it. */
    private static void classes() throws Exception {
        byte[] bytes = bytesOf("Shape0000");

        for (int i = 1; System.currentTimeMillis() < end; i++) {
            Shape shape = (Shape) new Loader().make("Shape0000", bytes).getDeclaredConstructor().newInstance();

            if (use(shape, 2000) != 2000) {
                FAILURES.incrementAndGet();
            }
            CLASSES.incrementAndGet();
            if (i % 200 == 0) {
                System.gc();
            }
        }
    }

    private static int parked(int depth) throws InterruptedException {
        if (depth == 0) {
            PARKED.incrementAndGet();
            throw new ParkedException();
        }
        if (depth % 8 == 0) {
            Thread.sleep(0, 1000);
        }
        return parked(depth - 1) + 1;
    }

    private static void parkAndThrow() {
        try {
            parked(40);
        } catch (ParkedException e) {
            return;
        } catch (InterruptedException e) {
            FAILURES.incrementAndGet();
        }
        FAILURES.incrementAndGet();
    }

    /** In virtual threads where this release has them, else in ordinary ones. */
    private static void parking() throws Exception {
        while (System.currentTimeMillis() < end) {
            List<Thread> threads = new ArrayList<>();

            for (int i = 0; i < 20; i++) {
                threads.add(started(KnownStorm::parkAndThrow));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static Thread started(Runnable body) throws Exception {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);

            return (Thread) Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class)
                .invoke(builder, body);
        } catch (NoSuchMethodException e) {
            Thread thread = new Thread(body);

            thread.start();
            return thread;
        }
    }

    private static Thread running(Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
                FAILURES.incrementAndGet();
            }
        });

        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        long duration = Long.parseLong(arguments[0]);

        end = System.currentTimeMillis() + (arguments.length > 1 ? 60000 : duration);

        Thread[] threads = {running(KnownStorm::deep), running(KnownStorm::overflow), running(KnownStorm::classes),
            running(KnownStorm::parking)};

        if (arguments.length > 1) {
            Thread.sleep(duration);
            System.exit(Integer.parseInt(arguments[1]));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("{\"KnownStorm$DeepException\": " + DEEP + ", \"KnownStorm$ParkedException\": " + PARKED
            + ", \"overflows\": " + OVERFLOWS + ", \"classes\": " + CLASSES + ", \"failures\": " + FAILURES + "}");
    }
}
