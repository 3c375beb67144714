import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What one piece of work measured of itself, on the thread that did it. */
final class Piece {
    final String kind;
    final long beginNs;
    long endNs;
    long cpuNs;
    /** Of the one that the work waited for: a holder, an initialiser, a task. */
    long otherCpuNs;
    long count;
    /** What the kind measured beside (nanoseconds). */
    long measuredNs;
    String thread;
    /** Of work of several kinds: each. */
    final List<Piece> parts = new ArrayList<>();

    Piece(String kind) {
        this.kind = kind;
        thread = Thread.currentThread().getName();
        cpuNs = -Work.cpu();
        beginNs = System.nanoTime();
    }

    Piece end() {
        endNs = System.nanoTime();
        cpuNs += Work.cpu();
        return this;
    }

    String json(String path) {
        return String.format(Locale.ROOT,
            "{\"path\": \"%s\", \"kind\": \"%s\", \"thread\": \"%s\", \"begin_ns\": %d, \"end_ns\": %d, \"cpu_ns\": %d, "
            + "\"other_cpu_ns\": %d, \"count\": %d, \"measured_ns\": %d}",
            path, kind, thread, beginNs, endNs, cpuNs, otherCpuNs, count, measuredNs);
    }
}
