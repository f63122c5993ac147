package io.cantle.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A checkout of Cantle that is built: its jars are its own and as new as its sources.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param root the folder of the checkout
 * @param jars the jars of Cantle itself, without its benchmarks
 * @param libraries the libraries that these need
 */
record BuiltCheckout(Path root, List<Path> jars, List<Path> libraries) {

  /** Stands for the commit of a checkout that git does not know. */
  static final String UNKNOWN_COMMIT = "unknown";

  private static final String MODULE = "bench/cantle";
  private static final String CLASS_PATH_FILE = MODULE + "/target/classpath.txt";
  private static final String DRIVER =
      MODULE + "/src/main/java/io/cantle/bench/cantle/CantleDriver.java";
  private static final int GIT_SECONDS = 10;

  /**
   * Examines a checkout.
   *
   * @param folder its root
   * @throws IllegalArgumentException if it is no checkout of Cantle or is not built; the message
   *     says what is missing and how to build it
   */
  static BuiltCheckout of(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(folder + " is not a folder");
    }
    Path root = folder.toRealPath();
    if (!Files.isRegularFile(root.resolve(MODULE).resolve("pom.xml"))) {
      throw new IllegalArgumentException(
          root + " is not the root folder of a checkout of Cantle: it has no " + MODULE);
    }
    Path file = root.resolve(CLASS_PATH_FILE);
    if (!Files.isRegularFile(file)) {
      throw unbuilt(root, "is not built: it has no " + CLASS_PATH_FILE);
    }
    List<Path> jars = new ArrayList<>();
    List<Path> libraries = new ArrayList<>();
    for (Path entry : entries(Files.readString(file).strip())) {
      if (!Files.exists(entry)) {
        throw unbuilt(root, "is not built completely: there is no " + entry);
      }
      if (!isCantle(entry)) {
        libraries.add(entry);
      } else if (!entry.toRealPath().startsWith(root.resolve("bench"))) {
        jars.add(checkedJar(root, entry));
      }
    }
    if (jars.isEmpty()) {
      throw unbuilt(root, "is not built: no jar of Cantle is in " + CLASS_PATH_FILE);
    }
    return new BuiltCheckout(root, List.copyOf(jars), List.copyOf(libraries));
  }

  /** Splits a class path; duplicate folders and empty entries are left out. */
  static List<Path> entries(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .distinct()
        .toList();
  }

  /** Returns whether an entry of a class path is built from Cantle's sources, by its name. */
  static boolean isCantle(Path entry) {
    return Files.isDirectory(entry) || entry.getFileName().toString().startsWith("cantle");
  }

  /** Returns the source of the driver that runs the workloads on Cantle. */
  Path driver() {
    return root.resolve(DRIVER);
  }

  /** Returns the commit that is checked out, with "-dirty" if files differ from it. */
  String commit() throws IOException, InterruptedException {
    ProcessBuilder git =
        new ProcessBuilder(
            "git", "-C", root.toString(), "describe", "--always", "--dirty", "--exclude=*");
    git.environment().put("GIT_OPTIONAL_LOCKS", "0");
    git.redirectError(ProcessBuilder.Redirect.DISCARD);
    try (BenchmarkChildProcess child = new BenchmarkChildProcess()) {
      Process process = child.start(git);
      if (!process.waitFor(GIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        return UNKNOWN_COMMIT;
      }
      return process.inputReader().lines().findFirst().orElse(UNKNOWN_COMMIT);
    } catch (IOException noGit) {
      return UNKNOWN_COMMIT;
    }
  }

  /**
   * Refuses a jar of another checkout. Class paths are absolute, so a copied checkout still names
   * the jars of the original.
   */
  private static Path checkedJar(Path root, Path entry) throws IOException {
    Path jar = entry.toRealPath();
    if (!jar.startsWith(root)) {
      throw unbuilt(root, "was copied after it was built: its class path names " + jar);
    }
    Path target = jar.getParent();
    Path module = target == null ? null : target.getParent();
    if (module == null) {
      throw new IllegalArgumentException(jar + " is not in the target folder of a module");
    }
    Path sources = module.resolve("src").resolve("main");
    FileTime built = newest(jar).orElse(FileTime.fromMillis(0));
    Optional<FileTime> edited = Files.isDirectory(sources) ? newest(sources) : Optional.empty();
    if (edited.isPresent() && edited.get().compareTo(built) > 0) {
      throw unbuilt(root, "was changed after it was built: " + sources + " is newer than " + jar);
    }
    return jar;
  }

  /** Returns when the newest file at or below a path was written. */
  private static Optional<FileTime> newest(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      List<FileTime> times = new ArrayList<>();
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        times.add(Files.getLastModifiedTime(file));
      }
      return times.stream().max(FileTime::compareTo);
    }
  }

  private static IllegalArgumentException unbuilt(Path root, String reason) {
    return new IllegalArgumentException(
        root
            + " "
            + reason
            + "; build it by `cd "
            + root
            + " && ./mvnw -Dmaven.test.skip=true -am -pl "
            + MODULE
            + " package`");
  }
}
