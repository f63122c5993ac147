package io.cantle.cli.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes results to the file that {@code --json} names, if it names one.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class JsonFile {
  private JsonFile() {}

  /**
   * Checks the file before anything is started, since a failure at the end would waste the run.
   *
   * @throws UsageException if it cannot be written
   */
  public static void checkWritable(@Nullable Path json) throws UsageException {
    if (json == null) {
      return;
    }
    Path folder = json.toAbsolutePath().normalize().getParent();
    if (folder == null || Files.isDirectory(json)) {
      throw new UsageException("--json " + json + " is a directory, not a file");
    }
    if (!Files.isDirectory(folder)) {
      throw new UsageException("--json " + json + ": there is no directory " + folder);
    }
    if (!Files.isWritable(Files.exists(json) ? json : folder)) {
      throw new UsageException("--json " + json + " cannot be written: access is denied");
    }
  }

  /**
   * Writes the results.
   *
   * @throws IOException if the file can no longer be written
   */
  public static void write(@Nullable Path json, Map<String, ? extends @Nullable Object> results)
      throws IOException {
    if (json == null) {
      return;
    }
    try {
      Files.writeString(json, JsonWriter.toJson(results));
    } catch (IOException exception) {
      throw new IOException("cannot write " + json + ": " + exception.getMessage(), exception);
    }
  }
}
