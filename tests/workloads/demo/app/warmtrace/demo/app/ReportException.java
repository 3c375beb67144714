package warmtrace.demo.app;

/** Thrown for every field that does not validate; caught by the caller, as in much real code. */
final class ReportException extends Exception {

    private static final long serialVersionUID = 1;

    ReportException(String message) {
        super(message);
    }
}
