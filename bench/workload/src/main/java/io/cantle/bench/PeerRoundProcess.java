package io.cantle.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs the {@link PeerRound}s of one product, each in a JVM of its own with the product's class
 * path.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param product which product
 * @param classPath the driver and all it needs
 * @param pace how long each measure takes
 * @param measures what to measure
 */
record PeerRoundProcess(
    Product product, String classPath, MeasureDurations pace, List<WorkloadMeasure> measures) {

  /**
   * The flags of every JVM, the same for all products. The opened packages are those Cantle and
   * Hazelcast ask for.
   */
  static final List<String> FLAGS =
      List.of(
          "-Xms4g",
          "-Xmx4g",
          "-XX:+UseG1GC",
          "-Djava.net.preferIPv4Stack=true",
          "-Djmh.ignoreLock=true",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.management/sun.management=ALL-UNNAMED",
          "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");

  private static final int GRACE_SECONDS = 120;

  /**
   * Returns the rounds of a product whose driver is built beside this module.
   *
   * @throws IllegalStateException if it is not built
   */
  static PeerRoundProcess of(
      Product product, MeasureDurations pace, List<WorkloadMeasure> measures) {
    return new PeerRoundProcess(product, classPath(product.label()), pace, measures);
  }

  /**
   * Returns the class path of the driver in a module beside this one, with all it needs.
   *
   * @throws IllegalStateException if it is not built
   */
  static String classPath(String module) {
    Path target = benchFolder().resolve(module).resolve("target");
    Path classes = target.resolve("classes");
    Path others = target.resolve("classpath.txt");
    if (!Files.isDirectory(classes) || !Files.isRegularFile(others)) {
      throw new IllegalStateException(
          "the driver of "
              + module
              + " is not built: no "
              + others
              + "; `./mvnw package -DskipTests` builds it");
    }
    try {
      return (classes + System.getProperty("path.separator") + Files.readString(others)).strip();
    } catch (IOException failure) {
      throw new UncheckedIOException("the class path of " + module, failure);
    }
  }

  /** Returns the root folder of this checkout. */
  static Path root() {
    Path root = benchFolder().getParent();
    if (root == null) {
      throw new IllegalStateException(benchFolder() + " is not in a checkout of Cantle");
    }
    return root;
  }

  /** Returns the name of the product. */
  String label() {
    return product.label();
  }

  /** Returns the time after which a round is given up. */
  int limitSeconds() {
    return 2 * measures.stream().mapToInt(pace::seconds).sum() + GRACE_SECONDS;
  }

  /**
   * Runs one round by itself and waits for its end.
   *
   * @param progress receives each line for the user
   */
  PeerRoundResult run(Consumer<String> progress) throws IOException, InterruptedException {
    try (var round = new RunningRound(this, PeerRound.ALONE, limitSeconds(), progress)) {
      return round.result();
    }
  }

  /**
   * Returns the command that starts the JVM of a round.
   *
   * @param folder for its files
   * @param mode {@link PeerRound#ALONE} or {@link PeerRound#PAIRED}
   */
  List<String> command(Path folder, String mode) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", classPath, PeerRound.class.getName()));
    command.addAll(List.of(folder.toString(), pace.name(), mode));
    measures.forEach(measure -> command.add(measure.label()));
    return command;
  }

  /**
   * Returns the folder of all bench modules: this class lies in workload/target/classes or a jar
   * beside.
   */
  private static Path benchFolder() {
    try {
      Path code =
          Path.of(
              PeerRoundProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path folder = code;
      for (int level = 0; level < 3; level++) {
        Path parent = folder.getParent();
        if (parent == null) {
          throw new IllegalStateException(code + " is not in the target folder of bench/workload");
        }
        folder = parent;
      }
      return folder;
    } catch (URISyntaxException failure) {
      throw new IllegalStateException("where this program lies is unknown", failure);
    }
  }
}
