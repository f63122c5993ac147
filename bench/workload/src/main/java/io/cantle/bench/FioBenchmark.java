package io.cantle.bench;

import io.cantle.bench.log.WriteMode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The program fio, where it is installed. It shows how many synced writes of a size the disk takes,
 * measured by code that is not ours.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param program where it is
 */
record FioBenchmark(Path program) {
  private static final int GRACE_SECONDS = 60;

  /** The field of the writes per second, in fio's third terse form. */
  private static final int WRITES_FIELD = 48;

  /**
   * Finds fio in these folders.
   *
   * @param path folders as in the variable PATH
   * @return null if there is none
   */
  static @Nullable FioBenchmark findIn(@Nullable String path) {
    if (path == null) {
      return null;
    }
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path program = Path.of(folder, "fio");
      if (!folder.isEmpty() && Files.isRegularFile(program) && Files.isExecutable(program)) {
        return new FioBenchmark(program);
      }
    }
    return null;
  }

  /**
   * Overwrites a file of its own, one synced write after the other.
   *
   * @param folder where that file is and stays
   * @param sink how the raw loop reaches the disk, so that fio does the same
   * @param bytes of each write
   * @return how many writes a second took
   * @throws IOException if fio fails or prints what cannot be parsed
   */
  double writesPerSecond(Path folder, WriteMode sink, int bytes, int seconds)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(List.of("--name=limit", "--ioengine=psync", "--rw=write", "--overwrite=1"));
    command.addAll(List.of("--size=64m", "--time_based", "--bs=" + bytes));
    command.addAll(List.of("--runtime=" + seconds, "--filename=" + folder.resolve("fio")));
    command.addAll(List.of("--output-format=terse", "--terse-version=3"));
    command.addAll(
        sink == WriteMode.DIRECT
            ? List.of("--direct=1", "--sync=dsync")
            : List.of("--fdatasync=1"));
    Path said = folder.resolve("fio.txt");
    try (BenchmarkChildProcess child = new BenchmarkChildProcess()) {
      Process process =
          child.start(
              new ProcessBuilder(command)
                  .directory(folder.toFile())
                  .redirectErrorStream(true)
                  .redirectOutput(said.toFile()));
      if (!process.waitFor(seconds + GRACE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("fio did not end within " + (seconds + GRACE_SECONDS) + " s");
      }
      String text = Files.readString(said, StandardCharsets.UTF_8).strip();
      if (process.exitValue() != 0) {
        throw new IOException("fio ended with " + process.exitValue() + ": " + text);
      }
      return parseWrites(text);
    }
  }

  private static double parseWrites(String text) throws IOException {
    String line = text.lines().filter(each -> each.startsWith("3;")).findFirst().orElse("");
    String[] fields = line.split(";", -1);
    try {
      return Double.parseDouble(fields[WRITES_FIELD]);
    } catch (ArrayIndexOutOfBoundsException | NumberFormatException unreadable) {
      throw new IOException("fio said no number of writes: " + text, unreadable);
    }
  }
}
