package io.cantle.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path of a round on a checkout: the workloads of this program, a driver compiled for
 * that checkout, and its jars. All that is built from Cantle's sources is copied first, so edits
 * and builds during the run change neither side.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param text the class path
 * @param driver the source of the driver
 * @param commit the commit that is checked out
 */
record CheckoutClassPath(String text, Path driver, String commit) {
  private static final String DRIVER_CLASS = "io.cantle.bench.cantle.CantleDriver";

  /**
   * Builds the class path.
   *
   * @param checkout whose jars are measured
   * @param drivers the sources to try, the preferred one first
   * @param compiler of the driver
   * @param folder an empty one
   * @throws IllegalArgumentException if no driver compiles against the jars
   */
  static CheckoutClassPath of(
      BuiltCheckout checkout, List<Path> drivers, DriverCompiler compiler, Path folder)
      throws IOException, InterruptedException {
    List<Path> entries = new ArrayList<>();
    // The workloads come first. Where both name a library of theirs, such as JMH, both sides are
    // measured with that of this program.
    entries.addAll(workloads(folder));
    entries.addAll(copies(checkout.jars(), folder.resolve("jars")));
    entries.addAll(checkout.libraries());

    List<String> mistakes = new ArrayList<>();
    for (Path driver : drivers.stream().distinct().toList()) {
      Path classes = Files.createDirectories(folder.resolve("driver-" + mistakes.size()));
      Optional<String> mistake = compiler.compile(driver, entries, classes);
      if (mistake.isEmpty()) {
        String commit = checkout.commit();
        describeDriver(classes, commit);
        entries.addFirst(classes);
        return new CheckoutClassPath(join(entries), driver, commit);
      }
      mistakes.add(mistake.get());
    }
    throw new IllegalArgumentException(
        "no driver compiles against the jars of "
            + checkout.root()
            + ": "
            + String.join("; ", mistakes));
  }

  private static List<Path> workloads(Path folder) throws IOException {
    List<Path> all = BuiltCheckout.entries(System.getProperty("java.class.path", ""));
    List<Path> entries = new ArrayList<>();
    for (Path entry : all) {
      entries.addAll(
          BuiltCheckout.isCantle(entry)
              ? copies(List.of(entry), folder.resolve("workloads-" + entries.size()))
              : List.of(entry));
    }
    return entries;
  }

  /** Writes what the driver's module otherwise contains beside its classes. */
  private static void describeDriver(Path classes, String version) throws IOException {
    Path services = Files.createDirectories(classes.resolve("META-INF").resolve("services"));
    Files.writeString(services.resolve(Driver.class.getName()), DRIVER_CLASS + "\n");
    Files.writeString(classes.resolve("cantle-bench.properties"), "version=" + version + "\n");
  }

  private static List<Path> copies(List<Path> entries, Path folder) throws IOException {
    Files.createDirectories(folder);
    List<Path> copies = new ArrayList<>();
    for (Path entry : entries) {
      Path copy = folder.resolve(entries.indexOf(entry) + "-" + entry.getFileName());
      copyTree(entry, copy);
      copies.add(copy);
    }
    return copies;
  }

  private static void copyTree(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static String join(List<Path> entries) {
    return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
