import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Throws exceptions from every kind of frame, each of a class of its own (Probe0001, Probe0002, …), and prints what
 * Throwable.getStackTrace says of each: a line "TRACE class frames", then per frame a line "class method line".
 *
 * Arguments: how many, how deep the recursion goes at most, and optionally "virtual" for some in virtual threads.
 *
 * A random walk through interface calls, lambdas, reflection, method handles, monitors, finally blocks, loops that are
 * compiled while they run, streams, sorting, class initialisers and class loaders that the VM calls, and code that a
 * newly loaded class invalidates. The first exceptions meet interpreted code; then a warm-up has all of it compiled.
 */
public final class KnownStacks {
    private interface Shape {
        int go(int depth, int seed);
    }

    /** What the walk ends in: null while warming up, then the exception's factory. One per thread. */
    private static final ThreadLocal<Supplier<RuntimeException>> factory = new ThreadLocal<>();
    private static final List<String> traces = Collections.synchronizedList(new ArrayList<>());

    private KnownStacks() {
    }

    // ---- one class per exception ----

    private static byte[] bytesOf(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];

        try (InputStream in = KnownStacks.class.getResourceAsStream("/" + name + ".class")) {
            for (int n; (n = in.read(buffer)) > 0;) {
                bytes.write(buffer, 0, n);
            }
        }
        return bytes.toByteArray();
    }

    private static final class Loader extends ClassLoader {
        private final String pattern, name;

        Loader(String pattern, String name) {
            super(KnownStacks.class.getClassLoader());
            this.pattern = pattern;
            this.name = name;
        }

        /** The pattern's bytes with each occurrence of its name replaced by one of the same length. */
        Class<?> make() throws IOException {
            byte[] bytes = bytesOf(pattern);

            for (int i = 0; i + pattern.length() <= bytes.length; i++) {
                if (new String(bytes, i, pattern.length(), "ISO-8859-1").equals(pattern)) {
                    byte[] changed = name.getBytes("ISO-8859-1");
                    System.arraycopy(changed, 0, bytes, i, changed.length);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }

        /** The VM asks for a superclass that is nowhere: native code called by Java calls Java again, which throws. */
        @Override
        protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            if (wanted.startsWith("Nowhere")) {
                step(4, wanted.hashCode());
            }
            return super.loadClass(wanted, resolve);
        }
    }

    @SuppressWarnings("unchecked")
    private static Supplier<RuntimeException> factoryOf(int number) throws Exception {
        String name = String.format("Probe%04d", number);

        return (Supplier<RuntimeException>) new Loader("Probe0000", name).make().getDeclaredConstructor().newInstance();
    }

    // ---- the walk ----

    private static int leaf(int depth, int seed) {
        if (depth > 0) {
            return step(depth - 1, seed * 31 + 7);
        }
        Supplier<RuntimeException> made = factory.get();

        if (made != null) {
            throw made.get();
        }
        return seed;
    }

    private static final class Plain implements Shape {
        @Override
        public int go(int depth, int seed) {
            return step(depth, seed ^ 0x55) + 1;
        }
    }

    private static final class Locked implements Shape {
        @Override
        public synchronized int go(int depth, int seed) {
            int changed = seed;

            try {
                return step(depth, changed + 13);
            } finally {
                changed++;
            }
        }
    }

    private static final class Looping implements Shape {
        private static int loop(int depth, int seed) {
            int sum = 0;

            for (int i = 0; i < 20; i++) {
                sum += i * seed;
                if (i == 19) {
                    sum += step(depth, seed - 3);
                }
            }
            return sum;
        }

        @Override
        public int go(int depth, int seed) {
            return loop(depth, seed);
        }
    }

    private static final Shape[] shapes = {new Plain(), new Locked(), new Looping()};
    private static final MethodHandle handle;
    private static final Method[] methods = new Method[2];

    static {
        try {
            handle = MethodHandles.lookup().findStatic(KnownStacks.class, "byHandle",
                MethodType.methodType(int.class, int.class, int.class));
            methods[0] = KnownStacks.class.getDeclaredMethod("byReflection", int.class, int.class);
            methods[1] = KnownStacks.class.getDeclaredMethod("byOtherReflection", int.class, int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static int byHandle(int depth, int seed) {
        return step(depth, seed + 1);
    }

    static int byReflection(int depth, int seed) {
        return step(depth, seed + 2);
    }

    static int byOtherReflection(int depth, int seed) {
        return step(depth, seed + 5);
    }

    private static int reflect(Method method, int depth, int seed) {
        try {
            return (Integer) method.invoke(null, depth, seed);
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static int handled(int depth, int seed) {
        try {
            return (int) handle.invokeExact(depth, seed);
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    static int step(int depth, int seed) {
        if (depth <= 0) {
            return leaf(0, seed);
        }
        int next = depth - 1;

        switch ((seed >>> 3) & 15) {
        case 0: case 1: case 2:
            return shapes[0].go(next, seed * 17 + 1);
        case 3: case 4:
            return shapes[1].go(next, seed * 19 + 3);
        case 5: case 6:
            return shapes[2].go(next, seed * 23 + 5);
        case 7: case 8:
            IntUnaryOperator lambda = x -> step(next, x * 29 + 7);
            return lambda.applyAsInt(seed);
        case 9:
            return reflect(methods[seed & 1], next, seed * 3 + 1);
        case 10:
            return handled(next, seed * 5 + 1);
        case 11:
            int[] result = {0};
            Arrays.asList(1).stream().map(x -> x + 1).forEach(x -> result[0] = step(next, seed * 7 + x));
            return result[0];
        case 12:
            Integer[] two = {2, 1};
            Arrays.sort(two, (a, b) -> step(next, seed * 41 + 1) | 1);
            return two[0];
        default:
            return leaf(next, seed * 43 + 1);
        }
    }

    // ---- native code between ----

    /** Read by Init0000's initialiser, which native code (Class.forName) runs. */
    static int initDepth, initSeed;

    public static void initialise() {
        step(initDepth, initSeed);
    }

    private static void byInitialiser(int number, int depth, int seed) throws Exception {
        String name = String.format("Init%04d", number);

        initDepth = depth;
        initSeed = seed;
        try {
            Class.forName(name, true, new Loader("Init0000", name).make().getClassLoader());
        } catch (ExceptionInInitializerError e) {
            throw (RuntimeException) e.getCause();
        }
    }

    /** Sub0000 extends Nowhere: defining it makes the VM call the loader. */
    private static void byLoader(int number) throws Exception {
        new Loader("Sub0000", String.format("Sub%04d", number)).make();
    }

    // ---- compiled code given up under running frames ----

    abstract static class Base {
        abstract int value(int depth, int seed);
    }

    static final class Only extends Base {
        @Override
        int value(int depth, int seed) {
            return seed;
        }
    }

    /** Loaded late: with it, `value` is no longer the only one, and code compiled for that is given up. */
    static final class Second extends Base {
        @Override
        int value(int depth, int seed) {
            return step(depth, seed);
        }
    }

    static Base base = new Only();

    private static int fragile(int depth, int seed, boolean isLate) {
        if (depth > 0) {
            return fragile(depth - 1, seed, isLate) + base.value(1, seed);
        }
        if (isLate) {
            base = new Second();
        }
        return base.value(3, seed);
    }

    // ---- virtual threads, which this release may not know ----

    private static void inVirtualThread(Runnable body) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Thread thread = (Thread) Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class)
            .invoke(builder, body);

        thread.join();
    }

    /** Parks at several depths: when it goes on, older frames stay frozen in the heap. */
    private static int parking(int depth, int seed) {
        if (depth % 4 == 3) {
            LockSupport.parkNanos(1000);
        }
        return depth <= 1 ? step(3, seed) : parking(depth - 1, seed) + 1;
    }

    // ---- the run ----

    private interface Body {
        void run() throws Exception;
    }

    private static void record(int number, Body body) {
        try {
            factory.set(factoryOf(number));
            body.run();
            throw new AssertionError("nothing was thrown");
        } catch (RuntimeException e) {
            StringBuilder text = new StringBuilder();

            text.append("TRACE ").append(e.getClass().getName()).append(' ').append(e.getStackTrace().length);
            for (StackTraceElement frame : e.getStackTrace()) {
                text.append('\n').append(frame.getClassName()).append(' ').append(frame.getMethodName()).append(' ')
                    .append(frame.getLineNumber());
            }
            traces.add(text.toString());
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            factory.remove();
        }
    }

    private static void warmUp(int depth) {
        Random random = new Random(7);

        for (int i = 0; i < 30000; i++) {
            step(1 + random.nextInt(depth), random.nextInt());
            fragile(5, i, false);
        }
    }

    private static void one(int number, int depth, int seed, boolean isVirtual) throws Exception {
        if (number % 40 == 7) {
            record(number, () -> byInitialiser(number, depth, seed));
        } else if (number % 40 == 17) {
            record(number, () -> byLoader(number));
        } else if (isVirtual && number % 40 == 27) {
            inVirtualThread(() -> record(number, () -> parking(depth, seed)));
        } else if (number % 40 == 37) {
            Thread thread = new Thread(() -> record(number, () -> step(depth, seed)));
            thread.start();
            thread.join();
        } else {
            record(number, () -> step(depth, seed));
        }
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]), depth = Integer.parseInt(arguments[1]);
        boolean isVirtual = arguments.length > 2 && arguments[2].equals("virtual");
        Random random = new Random(42);

        for (int number = 1; number <= count; number++) {
            if (number == 200) {
                warmUp(depth);
                record(number, () -> fragile(5, 1, true));
            } else {
                one(number, 1 + random.nextInt(depth), random.nextInt(), isVirtual);
            }
        }
        for (String trace : traces) {
            System.out.println(trace);
        }
    }
}
