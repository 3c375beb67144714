import java.util.Map;
import java.util.TreeMap;

/**
 * Throws known numbers of exceptions, all primes, and prints them as JSON.
 *
 * All but the stackless ones fill a stack trace. The JDK throws some of its own during start-up (of other classes, and
 * NoSuchMethodError while it links lambdas: this program has none), so compare by class.
 */
public final class KnownExceptions {

    static final class OwnException extends Exception {
        private static final long serialVersionUID = 1;

        OwnException(String message) {
            super(message);
        }
    }

    /** Without a stack trace: nothing fills one, so nothing that watches the filling sees it. */
    static final class StacklessException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StacklessException() {
            super(null, null, false, false);
        }
    }

    private static final int CLASS_NOT_FOUND = 101;
    private static final int NUMBER_FORMAT = 53;
    private static final int OWN = 211;
    private static final int STACKLESS = 7;
    private static final int DEPTH = 31;

    private static final Map<String, Integer> CAUGHT = new TreeMap<>();

    private KnownExceptions() {
    }

    public static void main(String[] args) {
        // Another name each time: the JVM and the loaders remember what they did not find.
        for (int i = 0; i < CLASS_NOT_FOUND; i++) {
            try {
                Class.forName("absent.Class".concat(Integer.toString(i)));
            } catch (ClassNotFoundException e) {
                caught(e);
            }
        }
        for (int i = 0; i < NUMBER_FORMAT; i++) {
            try {
                Integer.parseInt("x".concat(Integer.toString(i)));
            } catch (NumberFormatException e) {
                caught(e);
            }
        }
        for (int i = 0; i < OWN; i++) {
            try {
                throwDeep(i % DEPTH);
            } catch (OwnException e) {
                caught(e);
            }
        }
        for (int i = 0; i < STACKLESS; i++) {
            try {
                throw new StacklessException();
            } catch (StacklessException e) {
                caught(e);
            }
        }
        // Made, and its stack trace filled, but not thrown: whoever counts throws by construction counts it as well.
        OwnException made = new OwnException("made only");

        StringBuilder json = new StringBuilder("{\"thrown\": {");
        String separator = "";
        for (Map.Entry<String, Integer> entry : CAUGHT.entrySet()) {
            json.append(separator).append('"').append(entry.getKey()).append("\": ").append(entry.getValue());
            separator = ", ";
        }
        json.append("}, \"stackless\": \"").append(StacklessException.class.getName())
                .append("\", \"made_not_thrown\": {\"").append(made.getClass().getName()).append("\": 1}}");
        System.out.println(json);
    }

    private static void throwDeep(int depth) throws OwnException {
        if (depth == 0) {
            throw new OwnException("deep enough");
        }
        throwDeep(depth - 1);
    }

    private static void caught(Exception e) {
        Integer before = CAUGHT.get(e.getClass().getName());
        CAUGHT.put(e.getClass().getName(), before == null ? 1 : before + 1);
    }
}
