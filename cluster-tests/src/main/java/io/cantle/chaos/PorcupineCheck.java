package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A check of histories by Porcupine, an independent checker in another language. It would not
 * repeat a mistake of our own search.
 *
 * <p><b>Threading:</b> immutable.
 */
final class PorcupineCheck {
  private static final Path DEFAULT_GO_PATH = Path.of("/usr/local/go/bin/go");

  private PorcupineCheck() {}

  /**
   * Builds the program of cluster-tests/porcupine and runs it on a folder. Its output is passed on.
   *
   * @return 0 if all is linearizable, 1 if not
   * @throws ChaosException if Go is missing, or the program cannot be built
   */
  static int checkFolder(Path folder, PrintStream out)
      throws ChaosException, InterruptedException, IOException {
    Path go =
        goCommand()
            .orElseThrow(
                () ->
                    new ChaosException(
                        ChaosException.LACKING_STATUS,
                        "Go is missing: neither on the path nor at " + DEFAULT_GO_PATH));
    Path sources = sourceFolder();
    Path program = Files.createTempFile("cantle-porcupine-", "");
    try {
      if (run(List.of(go.toString(), "build", "-o", program.toString(), "."), sources, out) != 0) {
        throw new ChaosException(
            ChaosException.LACKING_STATUS, "the Go program in " + sources + " cannot be built");
      }
      int status =
          run(List.of(program.toString(), folder.toAbsolutePath().toString()), sources, out);
      return status == 0 ? 0 : ChaosException.FAILED_STATUS;
    } finally {
      Files.deleteIfExists(program);
    }
  }

  /** Returns the path of the Go command, if there is one. */
  static Optional<Path> goCommand() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.concat(
            Stream.of(path.split(":", -1))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry, "go")),
            Stream.of(DEFAULT_GO_PATH))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Path sourceFolder() throws ChaosException {
    for (Path root = Path.of("").toAbsolutePath(); root != null; root = root.getParent()) {
      Path sources = root.resolve("cluster-tests").resolve("porcupine");
      if (Files.exists(sources.resolve("go.mod"))) {
        return sources;
      }
    }
    String root = System.getenv("CANTLE_ROOT");
    if (root != null) {
      return Path.of(root, "cluster-tests", "porcupine");
    }
    throw new ChaosException(
        ChaosException.BAD_INPUT_STATUS, "run this inside the sources of Cantle");
  }

  private static int run(List<String> command, Path folder, PrintStream out)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    out.write(process.getInputStream().readAllBytes());
    out.flush();
    return process.waitFor();
  }
}
