package warmtrace.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server on loopback that loads its application from the nested jar when the first request needs it. */
public final class DemoServer {

    private static final String APPLICATION = "warmtrace.demo.app.Report";

    private final ClassLoader loader;
    private Callable<byte[]> application;

    private DemoServer(ClassLoader loader) {
        this.loader = loader;
    }

    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 8080;
        // Without it JDK 17's server writes head and body as two small segments, and Nagle's algorithm together with the
        // client's delayed acknowledgement makes every warm request last 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        File jar = new File(DemoServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        System.setProperty("demo.home", jar.getParent());
        DemoServer demo = new DemoServer(new NestedJarLoader(jar, "lib/app.jar", DemoServer.class.getClassLoader()));

        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", exchange -> answer(exchange, 404, "application/json", json("{\"error\": \"no such route\"}")));
        server.createContext("/health", exchange -> answer(exchange, 200, "application/json", json("{\"status\": \"UP\"}")));
        server.createContext("/api/report", demo::report);
        server.setExecutor(workers());
        server.start();
        System.out.println("demo: listening on http://127.0.0.1:" + server.getAddress().getPort() + "/api/report");
    }

    // More than one, so that a request goes from the selector's thread to a worker as it does in real servers.
    private static ExecutorService workers() {
        AtomicInteger next = new AtomicInteger();
        return Executors.newFixedThreadPool(4, task -> new Thread(task, "demo-http-" + next.incrementAndGet()));
    }

    private void report(HttpExchange exchange) throws IOException {
        byte[] body;
        try {
            body = application().call();
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
            answer(exchange, 500, "application/json", json("{\"error\": \"see the log\"}"));
            return;
        }
        answer(exchange, 200, "application/json", body);
    }

    private synchronized Callable<byte[]> application() throws ReflectiveOperationException {
        if (application == null) {
            @SuppressWarnings("unchecked")
            Callable<byte[]> made = (Callable<byte[]>) loader.loadClass(APPLICATION).getDeclaredConstructor().newInstance();
            application = made;
        }
        return application;
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
