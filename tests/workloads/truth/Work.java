import java.io.FileInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantLock;

/** The kinds of known work. Whatever they need besides (threads, classes, files) is there before the first request. */
final class Work {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long MILLISECOND_NS = 1_000_000;
    private static volatile long sink;

    private final Map<String, String> settings;
    private final Object monitor = new Object();
    private final ReentrantLock lock = new ReentrantLock();
    private final ServerSocket peer;
    private final Chain chain = new Chain();
    private byte[] kept;

    Work(Map<String, String> settings) throws Exception {
        this.settings = settings;
        peer = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        TruthServer.daemon(this::answerLate, "peer").start();
        // What measures is loaded before it is used; so is what only carries the work.
        new Piece("none").end().json("/");
        burn(5);
        TracedException.reset();
        deep(1, 1);
        holdAnd("none", () -> { });
        chain.call("none", this::none);
        CompletableFuture.supplyAsync(() -> 1).get();
        new ProcessBuilder("true").start().waitFor();
    }

    /** Of the current thread; 0 for a virtual one, which has none of its own. */
    static long cpu() {
        return isVirtual() ? 0 : THREADS.getCurrentThreadCpuTime();
    }

    private static boolean isVirtual() {
        return Thread.currentThread().getClass().getName().equals("java.lang.VirtualThread");
    }

    /** So many milliseconds of CPU; on a virtual thread of the clock. */
    static long burn(long milliseconds) {
        boolean byClock = isVirtual();
        long start = byClock ? System.nanoTime() : cpu(), now, x = start;

        do {
            for (int i = 0; i < 100_000; i++) {
                x = x * 31 + (x >>> 7) + i;
            }
            sink = x;
            now = byClock ? System.nanoTime() : cpu();
        } while (now - start < milliseconds * MILLISECOND_NS);
        return now - start;
    }

    static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Kind {
        Piece run() throws Exception;
    }

    /** Does the work of a kind, here or three hand-overs away. */
    Piece run(String kind, boolean isFar) {
        Kind work = find(kind);

        try {
            return isFar ? chain.call(kind, work) : work.run();
        } catch (Exception e) {
            throw new IllegalStateException(kind, e);
        }
    }

    private Kind find(String kind) {
        switch (kind) {
            case "none": return this::none;
            case "mixed": return this::doSeveral;
            case "burn": return this::burnCpu;
            case "sleep": return this::sleepTimer;
            case "monitor-burn": return () -> waitForMonitor("monitor-burn", () -> burn(50));
            case "monitor-sleep": return () -> waitForMonitor("monitor-sleep", () -> sleep(50));
            case "lock-burn": return () -> waitForLock("lock-burn", () -> burn(50));
            case "lock-sleep": return () -> waitForLock("lock-sleep", () -> sleep(50));
            case "peer": return () -> ask("peer", peer.getLocalPort());
            case "outside-peer": return () -> ask("outside-peer", Integer.parseInt(settings.get("outside")));
            case "file": return this::readFile;
            case "heap": return this::touchHeap;
            case "exceptions": return this::throwMany;
            case "classes": return this::loadClasses;
            case "quota": return this::burnThrottled;
            case "initializer-burn": return () -> waitForInitializer("initializer-burn", "BurningInitializer");
            case "initializer-sleep": return () -> waitForInitializer("initializer-sleep", "SleepingInitializer");
            case "collect": return this::collect;
            case "stall": return this::allocate;
            case "future": return this::waitForFuture;
            case "child": return this::waitForChild;
            case "name": return this::lookUpName;
            default: throw new IllegalArgumentException(kind);
        }
    }

    private Piece none() {
        return new Piece("none").end();
    }

    /** Several kinds, one after the other, each a part. */
    private Piece doSeveral() throws Exception {
        Piece piece = new Piece("mixed");

        for (String kind : settings.get("mixed").split(",")) {
            piece.parts.add(find(kind).run());
        }
        return piece.end();
    }

    private Piece burnCpu() {
        Piece piece = new Piece("burn");

        burn(40);
        return piece.end();
    }

    private Piece sleepTimer() {
        Piece piece = new Piece("sleep");

        sleep(60);
        return piece.end();
    }

    // ---- locks ----

    private static final class Holding {
        final CountDownLatch held = new CountDownLatch(1), done = new CountDownLatch(1);
        long cpuNs;
    }

    /** A thread that takes the lock, tells so, does something and lets go. */
    private Holding holdAnd(String kind, Runnable something) throws InterruptedException {
        Holding holding = new Holding();
        Runnable inside = () -> {
            long cpuNs = -cpu();

            holding.held.countDown();
            something.run();
            holding.cpuNs = cpuNs + cpu();
        };

        TruthServer.daemon(() -> {
            if (kind.startsWith("lock")) {
                lock.lock();
                try {
                    inside.run();
                } finally {
                    lock.unlock();
                }
            } else {
                synchronized (monitor) {
                    inside.run();
                }
            }
            holding.done.countDown();
        }, "holder").start();
        holding.held.await();
        return holding;
    }

    private Piece waitForMonitor(String kind, Runnable something) throws InterruptedException {
        Holding holding = holdAnd(kind, something);
        Piece piece = new Piece(kind);

        synchronized (monitor) {
            piece.end();
        }
        holding.done.await();
        piece.otherCpuNs = holding.cpuNs;
        return piece;
    }

    private Piece waitForLock(String kind, Runnable something) throws InterruptedException {
        Holding holding = holdAnd(kind, something);
        Piece piece = new Piece(kind);

        lock.lock();
        piece.end();
        lock.unlock();
        holding.done.await();
        piece.otherCpuNs = holding.cpuNs;
        return piece;
    }

    // ---- others ----

    private void answerLate() {
        byte[] question = new byte[16];

        for (;;) {
            try (Socket socket = peer.accept()) {
                if (socket.getInputStream().read(question) > 0) {
                    sleep(70);
                    socket.getOutputStream().write(question, 0, 1);
                }
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Piece ask(String kind, int port) throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            Piece piece = new Piece(kind);

            out.write('?');
            if (in.read() < 0) {
                throw new IllegalStateException("no answer");
            }
            return piece.end();
        }
    }

    private Piece readFile() throws Exception {
        byte[] buffer = new byte[1 << 16];

        try (FileInputStream in = new FileInputStream(settings.get("file"))) {
            Piece piece = new Piece("file");

            for (int bytes; (bytes = in.read(buffer)) > 0;) {
                piece.count += bytes;
            }
            return piece.end();
        }
    }

    private static long minorFaults() throws Exception {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));

        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[7]);
    }

    /** measured_ns: what the same writing takes when the pages are there. */
    private Piece touchHeap() throws Exception {
        minorFaults();
        long faults = -minorFaults();
        Piece piece = new Piece("heap");

        kept = new byte[64 << 20];
        piece.end();
        piece.count = faults + minorFaults();

        piece.measuredNs = Long.MAX_VALUE;
        /* The first one may be interpreted. */
        for (int i = 0; i < 3; i++) {
            long startNs = cpu();

            java.util.Arrays.fill(kept, (byte) i);
            piece.measuredNs = Math.min(piece.measuredNs, cpu() - startNs);
        }
        return piece;
    }

    private static void deep(int frames, int exceptions) {
        if (frames > 1) {
            deep(frames - 1, exceptions);
            return;
        }
        for (int i = 0; i < exceptions; i++) {
            try {
                throw new TracedException();
            } catch (TracedException e) {
                sink++;
            }
        }
    }

    private Piece throwMany() {
        TracedException.reset();
        Piece piece = new Piece("exceptions");

        deep(150, 2000);
        piece.end();
        piece.count = TracedException.count;
        piece.measuredNs = TracedException.typicalNs() * TracedException.count;
        return piece;
    }

    /** measured_ns: within the calls that load. */
    private Piece loadClasses() throws Exception {
        String[] names = new String[300];

        for (int i = 0; i < names.length; i++) {
            names[i] = String.format("known.truth.Part%03d", i);
        }
        try (URLClassLoader loader = new URLClassLoader(new URL[] {Path.of(settings.get("classes")).toUri().toURL()})) {
            Piece piece = new Piece("classes");

            for (String name : names) {
                long startNs = System.nanoTime();

                Class.forName(name, false, loader);
                piece.measuredNs += System.nanoTime() - startNs;
                piece.count++;
            }
            return piece.end();
        }
    }

    private Piece burnThrottled() {
        Piece piece = new Piece("quota");

        piece.measuredNs = burn(150);
        return piece.end();
    }

    private Piece waitForInitializer(String kind, String name) throws Exception {
        Initializing.begun = new CountDownLatch(1);
        TruthServer.daemon(() -> {
            try {
                Class.forName(name);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }, "initializer").start();
        Initializing.begun.await();

        Piece piece = new Piece(kind);

        Class.forName(name);
        piece.end();
        piece.otherCpuNs = Initializing.cpuNs;
        return piece;
    }

    private Piece collect() {
        Piece piece = new Piece("collect");

        System.gc();
        return piece.end();
    }

    /** Garbage faster than a concurrent collector takes it away, in a heap with little room. */
    private Piece allocate() {
        Piece piece = new Piece("stall");

        for (int i = 0; i < 1500; i++) {
            kept = new byte[1 << 20];
        }
        return piece.end();
    }

    private Piece waitForFuture() throws InterruptedException, ExecutionException {
        Piece piece = new Piece("future");

        piece.otherCpuNs = CompletableFuture.supplyAsync(() -> burn(40)).get();
        return piece.end();
    }

    private Piece waitForChild() throws Exception {
        Process process = new ProcessBuilder("sleep", "0.06").start();
        Piece piece = new Piece("child");

        process.waitFor();
        return piece.end();
    }

    private Piece lookUpName() {
        Piece piece = new Piece("name");

        try {
            InetAddress.getByName("name.invalid.");
            piece.count = 1;
        } catch (UnknownHostException e) {
            piece.count = 0;
        }
        return piece.end();
    }

    // ---- three hand-overs ----

    /** By a queue and a FutureTask, by a monitor's wait and notify, and by a SynchronousQueue. */
    private static final class Chain {
        private final SynchronousQueue<FutureTask<Piece>> first = new SynchronousQueue<>();
        private final SynchronousQueue<FutureTask<Piece>> third = new SynchronousQueue<>();
        private final Object box = new Object();
        private FutureTask<Piece> boxed;

        Chain() {
            TruthServer.daemon(() -> take(first), "hop-1").start();
            TruthServer.daemon(this::unbox, "hop-2").start();
            TruthServer.daemon(() -> take(third), "hop-3").start();
        }

        private static void take(SynchronousQueue<FutureTask<Piece>> queue) {
            for (;;) {
                try {
                    queue.take().run();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        private void unbox() {
            for (;;) {
                FutureTask<Piece> task;

                synchronized (box) {
                    while (boxed == null) {
                        try {
                            box.wait();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    task = boxed;
                    boxed = null;
                }
                task.run();
            }
        }

        Piece call(String kind, Kind work) throws Exception {
            FutureTask<Piece> last = new FutureTask<>(work::run);
            FutureTask<Piece> middle = new FutureTask<>(() -> {
                third.put(last);
                return last.get();
            });
            FutureTask<Piece> begin = new FutureTask<>(() -> {
                synchronized (box) {
                    boxed = middle;
                    box.notify();
                }
                return middle.get();
            });

            first.put(begin);
            return begin.get();
        }
    }
}

/** Measures the filling of its stack trace by itself. */
final class TracedException extends Exception {
    private static final long serialVersionUID = 1;
    private static final long[] FILL_NS = new long[2000];
    static int count;

    static void reset() {
        count = 0;
    }

    /** The median, which a displacement from the CPU leaves alone. */
    static long typicalNs() {
        java.util.Arrays.sort(FILL_NS);
        return FILL_NS[FILL_NS.length / 2];
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        long startNs = System.nanoTime();

        super.fillInStackTrace();
        FILL_NS[count++ % FILL_NS.length] = System.nanoTime() - startNs;
        return this;
    }
}

final class Initializing {
    static volatile CountDownLatch begun;
    static volatile long cpuNs;

    private Initializing() {
    }
}

final class BurningInitializer {
    static {
        Initializing.begun.countDown();
        Initializing.cpuNs = Work.burn(50);
    }

    private BurningInitializer() {
    }
}

final class SleepingInitializer {
    static {
        Initializing.begun.countDown();
        Work.sleep(50);
    }

    private SleepingInitializer() {
    }
}
