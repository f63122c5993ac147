package io.cantle.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * A folder that looks like a built checkout of Cantle with one module, {@code core}, whose only
 * class is {@code io.cantle.Product}.
 *
 * <p><b>Threading:</b> one thread.
 */
final class FakeCheckout {
  private static final Instant EDITED = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant BUILT = EDITED.plusSeconds(60);

  private final Path root;

  /** Makes the folder, with a class whose one static method has this name. */
  FakeCheckout(Path root, String method) throws IOException {
    this.root = root;
    Files.createDirectories(root.resolve("bench/cantle/target"));
    Files.writeString(root.resolve("bench/cantle/pom.xml"), "<project/>");
    write(
        source(),
        "package io.cantle; public final class Product { public static int "
            + method
            + "() { return 1; } }");
    Files.createDirectories(jar());
    compile(source(), jar());
    touch(source(), EDITED);
    build(List.of(jar()));
  }

  /** Returns its path. */
  Path root() {
    return root;
  }

  /**
   * Returns what holds the classes of the module; a folder, which a class path takes like a jar.
   */
  Path jar() {
    return root.resolve("core/target/cantle-core-1");
  }

  /** Returns the source of the only class. */
  Path source() {
    return root.resolve("core/src/main/java/io/cantle/Product.java");
  }

  /** Writes a driver that calls this method of the product. */
  Path driver(String method) throws IOException {
    return write(
        root.resolve("bench/cantle/src/main/java/io/cantle/bench/cantle/CantleDriver.java"),
        "package io.cantle.bench.cantle; public final class CantleDriver {"
            + " int call() { return io.cantle.Product."
            + method
            + "(); } }");
  }

  /** Makes the module look edited after it was built. */
  void edit() throws IOException {
    touch(source(), BUILT.plusSeconds(60));
  }

  /** Writes the class path of the driver's module. */
  void build(List<Path> entries) throws IOException {
    Files.writeString(
        root.resolve("bench/cantle/target/classpath.txt"),
        entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    try (var files = Files.walk(jar())) {
      files.forEach(file -> touch(file, BUILT));
    }
  }

  private static Path write(Path file, String text) throws IOException {
    Path folder = file.getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    return Files.writeString(file, text);
  }

  private static void touch(Path file, Instant time) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(time));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void compile(Path source, Path folder) {
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", folder.toString(), source.toString());
    if (code != 0) {
      throw new IllegalStateException(source + " does not compile");
    }
  }
}
