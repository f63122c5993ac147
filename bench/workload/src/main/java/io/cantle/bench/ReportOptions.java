package io.cantle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * The options of a command that prints values and may write them to a file.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ReportOptions {
  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write machine, flags and all values to this file as JSON.")
  private @Nullable Path json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // Picocli acts on it before the command runs.
  private boolean help;

  /** Checks that the file can be written: see {@link BenchmarkJsonFile#requireWritable}. */
  void requireWritable(CommandSpec spec) {
    BenchmarkJsonFile.requireWritable(spec, json);
  }

  /**
   * Writes the file, if there is to be one, and prints the values.
   *
   * @param flags of the JVMs
   * @param more what is in the file only
   */
  void write(
      CommandSpec spec, Map<String, Object> values, List<String> flags, Map<String, Object> more)
      throws IOException {
    BenchmarkJsonFile.write(
        spec,
        json,
        () -> {
          Map<String, Object> all = new LinkedHashMap<>(values);
          all.put("machine", MachineDescription.describeThisMachine());
          all.put("flags", flags);
          all.putAll(more);
          return BenchmarkJson.toJson(all);
        });
    values.forEach((name, value) -> spec.commandLine().getOut().println(name + ": " + value));
  }
}
