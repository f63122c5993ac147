package io.cantle.chaos.scenario;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a scenario: its settings, its folder, and the processes it has started. Closing it
 * kills all of them.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ScenarioRun implements AutoCloseable {
  private final ScenarioSettings settings;
  private final Path folder;
  private final @Nullable Path plantedClasses;
  private final Consumer<String> progress;
  private final ConcurrentLinkedQueue<ChildProcess> children = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  /**
   * Creates a run.
   *
   * @param folder where logs and whatever else the scenario writes go
   * @param plantedClasses the classes of a planted bug, first on the class path of nodes; null if
   *     none is planted
   * @param progress receives a line for people now and then
   */
  public ScenarioRun(
      ScenarioSettings settings,
      Path folder,
      @Nullable Path plantedClasses,
      Consumer<String> progress) {
    this.settings = settings;
    this.folder = folder;
    this.plantedClasses = plantedClasses;
    this.progress = progress;
  }

  /** Returns the settings from the command line. */
  public ScenarioSettings settings() {
    return settings;
  }

  /**
   * Returns the folder for logs and other files; removed afterwards unless something was violated.
   */
  public Path folder() {
    return folder;
  }

  /** Reports progress to people; at least every two seconds. */
  public void progress(String text) {
    progress.accept(text);
  }

  /**
   * Returns the command that runs a main class of ours: the same Java and the same class path as
   * this process, with a planted bug's classes first.
   *
   * @param options of the Java virtual machine, such as {@code -Xmx256m}
   * @param arguments of the main class
   */
  public List<String> javaCommand(List<String> options, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Xlog:disable");
    command.add("-Xlog:all=warning:stderr");
    command.add("--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");
    command.addAll(options);
    command.add("-cp");
    command.add(
        (plantedClasses == null ? "" : plantedClasses + File.pathSeparator)
            + System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }

  /**
   * Starts a process that executes orders.
   *
   * @param name the name of the process and its log, unique within the run
   * @param command the program and its arguments, see {@link #javaCommand}
   * @param messageListener receives messages that answer no order
   */
  public ChildProcess start(String name, List<String> command, Consumer<JsonLine> messageListener)
      throws ChaosException {
    try {
      ChildProcess child = ChildProcess.start(name, folder, command, messageListener);
      children.add(child);
      if (closed) {
        child.destroy();
      }
      return child;
    } catch (IOException e) {
      throw new ChaosException(
          ChaosException.FAILED_STATUS, name + " could not be started: " + e.getMessage());
    }
  }

  /** Removes a folder with all that is in it. */
  public static void removeFolder(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    children.forEach(ChildProcess::destroy);
  }
}
