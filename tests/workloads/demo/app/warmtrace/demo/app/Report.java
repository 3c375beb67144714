package warmtrace.demo.app;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import warmtrace.demo.app.parts.Parts;

/** The application behind /api/report. Its first call does everything that later ones find done. */
public final class Report implements Callable<byte[]> {

    /** This class, ReportException and Parts. */
    private static final int OWN_CLASSES = 3;
    private static final int INVALID_FIELDS = 41;
    private static final int INVALID_NUMBERS = 13;

    // Looked for in the working folder, then beside the jar: some exist in neither place, as is usual with optional configuration.
    private static final String[] CONFIG = {"config/demo.properties", "config/demo-local.properties", "demo.properties"};
    private static final String[] TEMPLATES = {"templates/report.txt", "templates/header.txt", "templates/footer.txt",
        "templates/report_local.txt", "templates/theme/report.txt"};

    private final File home = new File(System.getProperty("demo.home", "."));
    private final Properties config = new Properties();
    private final Map<String, String> templates = new LinkedHashMap<>();
    private int filesRead;
    private int filesAbsent;
    private int exceptions;
    private boolean ready;

    @Override
    public synchronized byte[] call() throws IOException {
        if (!ready) {
            prepare();
            ready = true;
        }
        // A warm request is not free of files either: template engines look whether theirs has changed.
        long changed = new File(home, TEMPLATES[0]).lastModified();
        long value = Parts.load(changed & 7);
        return body(value);
    }

    private void prepare() throws IOException {
        for (String name : CONFIG) {
            byte[] bytes = find(name);
            if (bytes != null) {
                config.load(new StringReader(text(bytes)));
            }
        }
        for (String name : TEMPLATES) {
            byte[] bytes = find(name);
            if (bytes != null) {
                templates.put(name, text(bytes));
            }
        }
        for (int i = 0; i < INVALID_FIELDS; i++) {
            try {
                validate(i);
            } catch (ReportException e) {
                exceptions++;
            }
        }
        for (int i = 0; i < INVALID_NUMBERS; i++) {
            try {
                Integer.parseInt("n".concat(Integer.toString(i)));
            } catch (NumberFormatException e) {
                exceptions++;
            }
        }
    }

    private static void validate(int field) throws ReportException {
        throw new ReportException("field ".concat(Integer.toString(field)).concat(" is not set"));
    }

    private byte[] find(String name) throws IOException {
        File[] places = {new File(name), new File(home, name)};
        for (File place : places) {
            try (InputStream in = new FileInputStream(place)) {
                filesRead++;
                return in.readAllBytes();
            } catch (FileNotFoundException e) {
                filesAbsent++;
                exceptions++;
            }
        }
        return null;
    }

    private byte[] body(long value) {
        StringBuilder json = new StringBuilder(2048);
        json.append("{\"title\": \"").append(config.getProperty("title", "no title"))
                .append("\", \"value\": ").append(value)
                .append(", \"first_request\": {\"classes_loaded\": ").append(Parts.COUNT + OWN_CLASSES)
                .append(", \"exceptions_thrown\": ").append(exceptions)
                .append(", \"files_read\": ").append(filesRead)
                .append(", \"files_absent\": ").append(filesAbsent)
                .append("}, \"rows\": [");
        for (int i = 0; i < 20; i++) {
            json.append(i == 0 ? "" : ", ").append("{\"row\": ").append(i).append(", \"value\": ").append(value >>> i)
                    .append(", \"name\": \"row ").append(i).append(" of the report\"}");
        }
        json.append("], \"templates\": ").append(templates.size()).append("}\n");
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
