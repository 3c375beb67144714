import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads a known number of classes from a jar of their own with a URLClassLoader, and prints it as JSON.
 *
 *   java -cp known-java.jar KnownClasses known-parts.jar
 *
 * URLClassLoader asks its parent first: one ClassNotFoundException per class, thrown by the application's class loader.
 */
public final class KnownClasses {

    private KnownClasses() {
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: KnownClasses known-parts.jar");
            System.exit(2);
        }
        File jar = new File(args[0]).getCanonicalFile();
        int count;
        try (URLClassLoader loader = new URLClassLoader("parts", new URL[] {jar.toURI().toURL()}, KnownClasses.class.getClassLoader())) {
            Class<?> parts = Class.forName("known.parts.Parts", true, loader);
            parts.getMethod("load", long.class).invoke(null, 1L);
            count = parts.getField("COUNT").getInt(null);
        }
        // One more than the parts: Parts itself. Joined, since "+" would load and throw things while it is linked.
        System.out.println(String.join("", "{\"jar\": \"", jar.getPath(), "\", \"loader\": \"java.net.URLClassLoader\", \"classes\": ",
                Integer.toString(count + 1), "}"));
    }
}
