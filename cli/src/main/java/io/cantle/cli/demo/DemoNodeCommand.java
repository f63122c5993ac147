package io.cantle.cli.demo;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the command line that runs a node, with the Java and the class path of this process.
 *
 * <p><b>Threading:</b> any thread.
 */
final class DemoNodeCommand {
  private static final long MAX_HEAP_MEBIBYTES = 1_024;
  private static final long MIN_HEAP_MEBIBYTES = 128;

  private DemoNodeCommand() {}

  static List<String> commandLine(DemoNodeSettings settings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + heapMebibytes(settings.ports().size()) + "m");
    command.add("-XX:+UseSerialGC");
    // A node lives for seconds: the second compiler would take processor time from the first load.
    command.add("-XX:TieredStopAtLevel=1");
    // A node without memory ends, and its log has the reason.
    command.add("-XX:+ExitOnOutOfMemoryError");
    // By default the JVM prints warnings on stdout, which carries the messages.
    command.add("-Xlog:disable");
    command.add("-Xlog:all=warning:stderr");
    command.add("--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(DemoNode.class.getName());
    command.addAll(settings.toArguments());
    return command;
  }

  /** The heap of a node, so that all nodes together get at most half of the machine's memory. */
  private static long heapMebibytes(int nodes) {
    long machine =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize() >> 20;
    return Math.clamp(machine / 2 / nodes, MIN_HEAP_MEBIBYTES, MAX_HEAP_MEBIBYTES);
  }
}
