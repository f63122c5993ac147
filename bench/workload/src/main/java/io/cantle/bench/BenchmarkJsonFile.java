package io.cantle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The file of the option {@code --json}, checked before minutes are spent on its contents, and
 * written after them.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BenchmarkJsonFile {
  private BenchmarkJsonFile() {}

  /**
   * Returns if the file can be written, or there is none.
   *
   * @throws ParameterException if it cannot be written
   */
  static void requireWritable(CommandSpec spec, @Nullable Path json) {
    if (json == null) {
      return;
    }
    Path folder = json.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw new ParameterException(
          spec.commandLine(), "--json " + json + " is not in a folder that can be written");
    }
    if (Files.isDirectory(json) || (Files.exists(json) && !Files.isWritable(json))) {
      throw new ParameterException(
          spec.commandLine(), "--json " + json + " is not a file that can be written");
    }
  }

  /**
   * Writes the file and says so, unless there is none.
   *
   * @param text makes what is written; called only if something is
   */
  static void write(CommandSpec spec, @Nullable Path json, Supplier<String> text)
      throws IOException {
    if (json != null) {
      Files.writeString(json, text.get());
      spec.commandLine().getOut().println("json: " + json);
    }
  }
}
