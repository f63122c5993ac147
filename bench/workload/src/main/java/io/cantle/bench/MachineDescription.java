package io.cantle.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A description of the machine on which the figures were measured.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param processor the model, or its architecture where the system does not tell
 * @param processors how many this JVM may use
 * @param memoryMebibytes of the machine
 * @param system name and version of the operating system
 * @param java version and maker of the JVM
 */
record MachineDescription(
    String processor, int processors, long memoryMebibytes, String system, String java) {

  /** Returns the description of this machine. */
  static MachineDescription describeThisMachine() {
    return new MachineDescription(
        processorModel(),
        Runtime.getRuntime().availableProcessors(),
        memoryBytes() >> 20,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        Runtime.version() + " " + System.getProperty("java.vendor"));
  }

  private static String processorModel() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).strip();
        }
      }
    } catch (IOException absent) {
      // Only Linux has this file.
    }
    return System.getProperty("os.arch");
  }

  private static long memoryBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : 0;
  }
}
