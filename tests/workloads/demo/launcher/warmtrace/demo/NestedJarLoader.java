package warmtrace.demo;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Loads classes from a jar that is stored, uncompressed, in another jar, without unpacking it: the outer file is read at the
 * offset where the inner entry's bytes are. Like the launchers of executable jars it asks the parent first, which
 * knows none of these classes and says so with a ClassNotFoundException: one per class.
 */
final class NestedJarLoader extends ClassLoader {

    private static final int END = 0x06054b50;
    private static final int END_SIZE = 22;
    private static final int CENTRAL = 0x02014b50;
    private static final int CENTRAL_SIZE = 46;
    private static final int LOCAL_SIZE = 30;
    private static final int STORED = 0;
    private static final int BLOCK = 8192;

    private static final class Entry {
        final long header;
        final int size;
        final int packedSize;
        final int method;

        Entry(long header, int size, int packedSize, int method) {
            this.header = header;
            this.size = size;
            this.packedSize = packedSize;
            this.method = method;
        }
    }

    private final RandomAccessFile file;
    private final Map<String, Entry> entries;
    // Names the jar as the classes' origin, for -Xlog:class+load and whoever else asks.
    private final ProtectionDomain domain;

    NestedJarLoader(File outer, String inner, ClassLoader parent) throws IOException {
        super("nested", parent);
        file = new RandomAccessFile(outer, "r");
        Entry jar = directory(0, file.length()).get(inner);
        if (jar == null || jar.method != STORED) {
            throw new IOException(outer + " has no stored entry " + inner);
        }
        entries = directory(dataStart(jar), jar.size);
        domain = new ProtectionDomain(new CodeSource(outer.toURI().toURL(), (Certificate[]) null), null, this, null);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        Entry entry = entries.get(name.replace('.', '/').concat(".class"));
        if (entry == null) {
            throw new ClassNotFoundException(name);
        }
        try {
            byte[] code = contents(entry);
            return defineClass(name, code, 0, code.length, domain);
        } catch (IOException | DataFormatException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] contents(Entry entry) throws IOException, DataFormatException {
        byte[] packed = read(dataStart(entry), entry.packedSize);
        if (entry.method == STORED) {
            return packed;
        }
        byte[] bytes = new byte[entry.size];
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(packed);
            int done = 0;
            while (done < bytes.length && !inflater.finished()) {
                int count = inflater.inflate(bytes, done, bytes.length - done);
                if (count == 0) {
                    throw new DataFormatException("entry ends early");
                }
                done += count;
            }
        } finally {
            inflater.end();
        }
        return bytes;
    }

    // Name and extra field of the local header may differ in length from those in the central directory.
    private long dataStart(Entry entry) throws IOException {
        ByteBuffer header = little(read(entry.header, LOCAL_SIZE));
        return entry.header + LOCAL_SIZE + header.getShort(26) + header.getShort(28);
    }

    /** The central directory of the zip file in [start, start + size); offsets in it count from start. */
    private Map<String, Entry> directory(long start, long size) throws IOException {
        int tail = (int) Math.min(size, BLOCK);
        ByteBuffer end = little(read(start + size - tail, tail));
        int at = tail - END_SIZE;
        while (at >= 0 && end.getInt(at) != END) {
            at--;
        }
        if (at < 0) {
            throw new IOException("not a zip file");
        }
        int count = end.getShort(at + 10) & 0xffff;
        ByteBuffer central = little(read(start + end.getInt(at + 16), end.getInt(at + 12)));
        Map<String, Entry> found = new HashMap<>();
        int p = 0;
        for (int i = 0; i < count; i++) {
            if (central.getInt(p) != CENTRAL) {
                throw new IOException("damaged central directory");
            }
            int nameLength = central.getShort(p + 28) & 0xffff;
            String name = new String(central.array(), p + CENTRAL_SIZE, nameLength, StandardCharsets.UTF_8);
            found.put(name, new Entry(start + central.getInt(p + 42), central.getInt(p + 24), central.getInt(p + 20),
                    central.getShort(p + 10)));
            p += CENTRAL_SIZE + nameLength + (central.getShort(p + 30) & 0xffff) + (central.getShort(p + 32) & 0xffff);
        }
        return found;
    }

    // In blocks, as archive readers do: a class costs several reads, none of which is as long as its entry.
    private synchronized byte[] read(long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.seek(offset);
        for (int done = 0; done < length; ) {
            int count = file.read(bytes, done, Math.min(BLOCK, length - done));
            if (count < 0) {
                throw new IOException("file ends early");
            }
            done += count;
        }
        return bytes;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
