package io.cantle.chaos;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command that starts a node: the same Java and the same class path as this process.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChaosNodeCommand {
  private static final String HEAP = "-Xmx192m";

  /** For nodes that scan more at once than the heap can hold. */
  private static final String SMALL_HEAP = "-Xmx128m";

  private ChaosNodeCommand() {}

  static List<String> commandLine(ChaosNodeSettings settings) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                settings.scans() > 0 ? SMALL_HEAP : HEAP,
                "-XX:+UseSerialGC",
                // A node lives for seconds, in which the second compiler would occupy the
                // processor.
                "-XX:TieredStopAtLevel=1",
                // A node that cannot go on shows that by ending; its log has the reason.
                "-XX:+ExitOnOutOfMemoryError",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                ChaosNode.class.getName()));
    command.addAll(settings.toArguments());
    return command;
  }
}
