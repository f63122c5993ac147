package io.cantle.simulation.planted;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The workspace in which bugs are planted: a temporary folder, and the child processes that run
 * from it. None of it outlives this process, whether the process ends by itself or is interrupted.
 *
 * <p><b>Threading:</b> any thread.
 */
final class PlantingWorkspace implements AutoCloseable {
  private static final String SIMULATION_MAIN = "io.cantle.simulation.Main";

  /**
   * The JVM of a hunt. Many hunts share the machine, one thread each: a collector with threads of
   * its own would only disturb them. Most bugs show within a few seeds, before the second compiler
   * has paid off.
   */
  private static final List<String> HUNT_OPTIONS =
      List.of("-XX:+UseSerialGC", "-Xmx1g", "-XX:TieredStopAtLevel=1");

  /** The JVM of a hunt by walks, of which there are thousands over little code. */
  private static final List<String> WALK_OPTIONS = List.of("-XX:+UseSerialGC", "-Xmx1g");

  private final SourceTree sources;
  private final List<String> scenario;
  private final Path folder;
  private final Set<Process> children = ConcurrentHashMap.newKeySet();
  private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::deleteAll);
  private volatile boolean closed;

  /** Creates a workspace over these sources. */
  PlantingWorkspace(SourceTree sources) {
    this(sources, List.of());
  }

  /**
   * Creates a workspace over these sources that gives all its children these additional arguments.
   */
  PlantingWorkspace(SourceTree sources, List<String> scenario) {
    this.sources = sources;
    this.scenario = List.copyOf(scenario);
    try {
      this.folder = Files.createTempDirectory("cantle-planted-");
    } catch (IOException e) {
      throw new UncheckedIOException("no temporary folder can be made", e);
    }
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /** Returns the folder that contains everything. */
  Path folder() {
    return folder;
  }

  /** Returns whether the workspace is closed, for instance because this process was interrupted. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Plants a bug for child processes to be started.
   *
   * @throws IllegalStateException if the bug cannot be planted in the present sources
   */
  synchronized void compileBug(PlantedBug bug) {
    if (closed) {
      throw new IllegalStateException("the workshop is closed");
    }
    Path classes = classFolder(bug);
    try {
      Files.createDirectories(classes);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + classes, e);
    }
    SourceCompiler.compileInto(sources.sourcesWith(bug), classes);
  }

  private Path classFolder(PlantedBug bug) {
    return folder.resolve(bug.name());
  }

  /** Starts the simulation with these arguments and a bug that was planted. */
  Process start(PlantedBug bug, List<String> words, Redirect output) {
    List<String> options = bug.isHuntedByWalks() ? WALK_OPTIONS : HUNT_OPTIONS;
    return start(options, classFolder(bug), commandLine(bug, words), output);
  }

  /** Starts a whole campaign of the simulation with what was planted, in a JVM as usual. */
  Process startCampaign(PlantedBug bug, List<String> words) {
    return start(List.of(), classFolder(bug), commandLine(bug, words), Redirect.INHERIT);
  }

  /** Returns the arguments of the simulation as for this bug, and these in addition. */
  List<String> commandLine(PlantedBug bug, List<String> words) {
    List<String> all = new ArrayList<>(scenario);
    all.addAll(bug.extraWords());
    all.addAll(words);
    return all;
  }

  private Process start(List<String> options, Path classes, List<String> words, Redirect output) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    // As ./cantle starts the simulation.
    command.add("--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("-Djdk.trackAllThreads=false");
    command.add("-cp");
    command.add(classes + File.pathSeparator + System.getProperty("java.class.path"));
    command.add(SIMULATION_MAIN);
    command.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectErrorStream(true).redirectOutput(output);
    try {
      Process child = builder.start();
      children.add(child);
      if (closed) {
        child.destroyForcibly();
      }
      return child;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.getFirst(), e);
    }
  }

  /** Ends a child process and waits until it is gone. */
  void endChild(Process child) throws InterruptedException {
    child.destroyForcibly().waitFor();
    children.remove(child);
  }

  /** Ends the child processes and removes the folder. */
  @Override
  public void close() {
    deleteAll();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The process is ending: the shutdown hook has run or runs, and has nothing left to do.
      return;
    }
  }

  private synchronized void deleteAll() {
    closed = true;
    children.forEach(child -> child.destroyForcibly().onExit().join());
    children.clear();
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(PlantingWorkspace::delete);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot remove " + folder, e);
      }
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + path, e);
    }
  }
}
