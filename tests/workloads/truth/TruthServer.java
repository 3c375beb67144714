import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * An HTTP server whose first request for a path does one kind of work and tells what it took: one JSON line per request
 * on standard output, after the response. Times are System.nanoTime(), which on Linux is CLOCK_MONOTONIC.
 *
 * <pre>
 *   TruthServer PORT ENGINE [decoys] [KEY=VALUE...]
 *   GET /direct/KIND   the work is done by the thread that serves the request
 *   GET /far/KIND      three hand-overs away from it
 * </pre>
 *
 * ENGINE: how a request reaches the thread that serves it. {@code thread}: a new thread per connection; {@code pool}:
 * acceptor, poller, worker of a pool, which also writes; {@code loop}: one selector thread that reads and writes, workers
 * between; {@code virtual}: a new virtual thread per connection. Kinds are those of {@link Work}; the repeats of a path do
 * nothing. {@code decoys}: a thread that burns CPU, and a timer that wakes threads nobody waits for.
 */
public final class TruthServer {
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    private static final LinkedBlockingQueue<String> LINES = new LinkedBlockingQueue<>();
    private static Work work;

    private TruthServer() {
    }

    /** One request on a connection, from its first byte to its answer. */
    private static final class Exchange {
        final ByteBuffer in = ByteBuffer.allocate(8192);
        String path;

        /** Whether the head is there. */
        boolean parse() {
            String head = new String(in.array(), 0, in.position(), StandardCharsets.ISO_8859_1);

            if (!head.contains("\r\n\r\n")) {
                return false;
            }
            path = head.split(" ", 3)[1];
            in.clear();
            return true;
        }
    }

    private static ByteBuffer serve(String path) {
        String line = "{\"path\": \"" + path + "\"}";

        if (SEEN.add(path)) {
            String[] parts = path.split("/");
            Piece piece = work.run(parts[2], parts[1].equals("far"));

            line = piece.json(path);
            LINES.add(line);
            for (Piece part : piece.parts) {
                LINES.add(part.json(path));
            }
        }
        byte[] body = line.getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n";
        ByteBuffer out = ByteBuffer.allocate(head.length() + body.length);

        out.put(head.getBytes(StandardCharsets.ISO_8859_1)).put(body).flip();
        return out;
    }

    private static void write(SocketChannel channel, ByteBuffer out) throws IOException {
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    /** Serves a connection to its end with calls that block. */
    private static void converse(SocketChannel channel) {
        Exchange exchange = new Exchange();

        try (channel) {
            while (channel.read(exchange.in) >= 0) {
                if (exchange.parse()) {
                    write(channel, serve(exchange.path));
                }
            }
        } catch (IOException e) {
            // The client went away.
        }
    }

    private static ThreadPoolExecutor workers() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(),
            task -> daemon(task, "worker"));

        pool.prestartAllCoreThreads();
        return pool;
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);

        thread.setDaemon(true);
        return thread;
    }

    // ---- engines ----

    private static void perConnection(ServerSocketChannel server) throws IOException {
        for (;;) {
            SocketChannel channel = server.accept();

            daemon(() -> converse(channel), "connection").start();
        }
    }

    /** As servlet containers do it: who accepts tells the poller, who polls tells a worker, and the worker writes. */
    private static void pool(ServerSocketChannel server) throws IOException {
        Selector selector = Selector.open();
        ConcurrentLinkedQueue<Runnable> events = new ConcurrentLinkedQueue<>();
        ThreadPoolExecutor pool = workers();
        Map<SocketChannel, Exchange> exchanges = new ConcurrentHashMap<>();

        daemon(() -> {
            try {
                for (;;) {
                    selector.select();
                    for (Runnable event; (event = events.poll()) != null;) {
                        event.run();
                    }
                    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey key = keys.next();
                        SocketChannel channel = (SocketChannel) key.channel();
                        Exchange exchange = exchanges.get(channel);

                        keys.remove();
                        key.interestOps(0);
                        pool.execute(() -> {
                            try {
                                if (channel.read(exchange.in) < 0) {
                                    exchanges.remove(channel);
                                    channel.close();
                                    return;
                                }
                                if (exchange.parse()) {
                                    write(channel, serve(exchange.path));
                                }
                                key.interestOps(SelectionKey.OP_READ);
                                selector.wakeup();
                            } catch (IOException e) {
                                exchanges.remove(channel);
                            }
                        });
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, "poller").start();
        for (;;) {
            SocketChannel channel = server.accept();

            channel.configureBlocking(false);
            exchanges.put(channel, new Exchange());
            events.add(() -> {
                try {
                    channel.register(selector, SelectionKey.OP_READ);
                } catch (IOException e) {
                    exchanges.remove(channel);
                }
            });
            selector.wakeup();
        }
    }

    /** All input and output on one thread; the work on others, which hand its result back. */
    private static void loop(ServerSocketChannel server) throws IOException {
        Selector selector = Selector.open();
        ConcurrentLinkedQueue<Runnable> events = new ConcurrentLinkedQueue<>();
        ThreadPoolExecutor pool = workers();

        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        for (;;) {
            selector.select();
            for (Runnable event; (event = events.poll()) != null;) {
                event.run();
            }
            Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
            while (keys.hasNext()) {
                SelectionKey key = keys.next();

                keys.remove();
                if (key.isAcceptable()) {
                    SocketChannel channel = server.accept();

                    channel.configureBlocking(false);
                    channel.register(selector, SelectionKey.OP_READ, new Exchange());
                    continue;
                }
                SocketChannel channel = (SocketChannel) key.channel();
                Exchange exchange = (Exchange) key.attachment();

                if (channel.read(exchange.in) < 0) {
                    channel.close();
                } else if (exchange.parse()) {
                    String path = exchange.path;

                    pool.execute(() -> {
                        ByteBuffer out = serve(path);

                        events.add(() -> {
                            try {
                                write(channel, out);
                            } catch (IOException e) {
                                key.cancel();
                            }
                        });
                        selector.wakeup();
                    });
                }
            }
        }
    }

    private static void virtual(ServerSocketChannel server) throws Exception {
        // By name: the source compiles for Java 11, and virtual threads came with 21.
        ExecutorService executor = (ExecutorService) java.util.concurrent.Executors.class
            .getMethod("newVirtualThreadPerTaskExecutor").invoke(null);

        for (;;) {
            SocketChannel channel = server.accept();

            executor.execute(() -> converse(channel));
        }
    }

    // ---- decoys ----

    private static volatile long sink;

    private static void startDecoys() {
        Thread[] sleepers = new Thread[3];

        daemon(() -> {
            long x = 1;

            for (;;) {
                x = x * 31 + 7;
                if (x == 0) {
                    sink = x;
                }
            }
        }, "decoy-burner").start();
        for (int i = 0; i < sleepers.length; i++) {
            sleepers[i] = daemon(() -> {
                for (;;) {
                    java.util.concurrent.locks.LockSupport.park();
                }
            }, "decoy-sleeper");
            sleepers[i].start();
        }
        daemon(() -> {
            for (;;) {
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                for (Thread sleeper : sleepers) {
                    java.util.concurrent.locks.LockSupport.unpark(sleeper);
                }
            }
        }, "decoy-timer").start();
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Map<String, String> settings = new ConcurrentHashMap<>();
        boolean hasDecoys = false;

        for (int i = 2; i < arguments.length; i++) {
            String[] pair = arguments[i].split("=", 2);

            if (pair.length == 2) {
                settings.put(pair[0], pair[1]);
            } else {
                hasDecoys = true;
            }
        }
        daemon(() -> {
            try {
                for (;;) {
                    System.out.println(LINES.take());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "printer").start();
        work = new Work(settings);
        if (hasDecoys) {
            startDecoys();
        }

        ServerSocketChannel server = ServerSocketChannel.open();

        server.bind(new InetSocketAddress("127.0.0.1", port));
        Thread.currentThread().setName("acceptor");
        switch (arguments[1]) {
            case "thread":
                perConnection(server);
                break;
            case "pool":
                pool(server);
                break;
            case "loop":
                loop(server);
                break;
            case "virtual":
                virtual(server);
                break;
            default:
                throw new IllegalArgumentException(arguments[1]);
        }
    }
}
