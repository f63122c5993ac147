package io.cantle.cli.project;

import io.cantle.cli.console.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The sources of Cantle that this command line was built from, with what is built of them.
 *
 * <p><b>Threading:</b> the main thread.
 *
 * @param root the folder with {@code mvnw}
 * @param version the version of all modules
 */
record Checkout(Path root, String version) {
  private static final String ROOT_VARIABLE = "CANTLE_ROOT";

  /** The modules that the artifact {@code cantle} needs, and the parent of their poms. */
  private static final String MODULES = ".,api,store,core,network,embedded";

  private static final Pattern VERSION =
      Pattern.compile("<artifactId>cantle-parent</artifactId>\\s*<version>([^<]+)</version>");

  /** Maven installs {@code REPOSITORY/io/cantle/ARTIFACT/VERSION/FILE}. */
  private static final Pattern INSTALLED =
      Pattern.compile("\\[INFO\\] Installing .* to (.+)/io/cantle/([^/]+)/[^/]+/[^/]+");

  /**
   * Returns the sources that {@code ./cantle} runs from.
   *
   * @throws UsageException if this program was not started by {@code ./cantle}
   */
  static Checkout here() throws UsageException {
    String folder = System.getenv(ROOT_VARIABLE);
    if (folder == null) {
      throw new UsageException(
          ROOT_VARIABLE + " is not set: start this by ./cantle, which sets it to its own folder");
    }
    Path root = Path.of(folder);
    try {
      Matcher version = VERSION.matcher(Files.readString(root.resolve("pom.xml")));
      if (version.find()) {
        return new Checkout(root, version.group(1));
      }
    } catch (IOException exception) {
      // Reported below: it is no checkout either way.
    }
    throw new UsageException(
        ROOT_VARIABLE
            + " is "
            + root
            + ", and no pom.xml of Cantle is there: start this by ./cantle");
  }

  /** The text of one of its files. */
  String read(String file) throws IOException {
    return Files.readString(root.resolve(file));
  }

  /**
   * Installs what is built into the local Maven repository. It compiles and tests nothing, so a
   * build that is under way is not disturbed.
   *
   * @param step is told each artifact
   * @return the repository
   * @throws IOException if Maven fails; the message has what Maven said
   */
  Path install(Consumer<String> step) throws IOException, InterruptedException {
    Process maven =
        new ProcessBuilder(
                root.resolve("mvnw").toString(),
                "-B",
                "-ntp",
                "-f",
                root.resolve("pom.xml").toString(),
                "-pl",
                MODULES,
                "-Dmaven.resources.skip=true",
                "-Dmaven.main.skip=true",
                "-Dmaven.test.skip=true",
                "-Dspotless.check.skip=true",
                "install")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = maven.inputReader(StandardCharsets.UTF_8)) {
      return install(lines, maven, step);
    } finally {
      maven.destroy();
    }
  }

  private static Path install(BufferedReader lines, Process maven, Consumer<String> step)
      throws IOException, InterruptedException {
    @Nullable Path repository = null;
    Set<String> installed = new TreeSet<>();
    List<String> errors = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher artifact = INSTALLED.matcher(line);
      if (artifact.matches()) {
        repository = Path.of(artifact.group(1));
        if (installed.add(artifact.group(2))) {
          step.accept(artifact.group(2));
        }
      } else if (line.startsWith("[ERROR]") || line.startsWith("mvnw:")) {
        errors.add(line);
      }
    }
    int status = maven.waitFor();
    if (status != 0 || repository == null) {
      throw new IOException(
          "mvnw install ended with status "
              + status
              + "; the project has no files yet. It said:\n"
              + String.join("\n", errors));
    }
    return repository;
  }
}
