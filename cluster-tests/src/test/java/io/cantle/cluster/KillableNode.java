package io.cantle.cluster;

import io.cantle.Grid;
import io.cantle.GridConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A node in a process of its own, to be killed.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class KillableNode implements AutoCloseable {
  private static final String JOINED = "joined";

  private final Process process;

  private KillableNode(Process process) {
    this.process = process;
  }

  /** Starts a node at the last place of the grid and returns when it has joined. */
  static KillableNode start(TestGrid cluster) throws IOException {
    return start(cluster, cluster.size() - 1);
  }

  /** Starts a node at a place of the grid and returns when it has joined. */
  static KillableNode start(TestGrid cluster, int place) throws IOException {
    return start(cluster, place, "");
  }

  /** Starts a node at a place of the grid, on a rack, and returns when it has joined. */
  static KillableNode start(TestGrid cluster, int place, String rack) throws IOException {
    return start(cluster, place, rack, true);
  }

  /** Starts a node that leaves when it is terminated, or does not; returns when it has joined. */
  static KillableNode start(TestGrid cluster, int place, String rack, boolean shutdownHook)
      throws IOException {
    return start(cluster, place, rack, shutdownHook, "-Xmx256m");
  }

  /** Starts a node with a heap of this size; returns when it has joined. */
  static KillableNode start(
      TestGrid cluster, int place, String rack, boolean shutdownHook, String heapSize)
      throws IOException {
    KillableNode victim =
        new KillableNode(
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    heapSize,
                    "-XX:TieredStopAtLevel=1",
                    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    KillableNode.class.getName(),
                    cluster.name(),
                    Integer.toString(cluster.firstPort()),
                    Integer.toString(cluster.size()),
                    Integer.toString(place),
                    rack,
                    Boolean.toString(shutdownHook))
                .redirectError(Redirect.INHERIT)
                .start());
    BufferedReader words = victim.process.inputReader(StandardCharsets.UTF_8);
    @Nullable String word = words.readLine();
    if (word == null || !word.startsWith(JOINED)) {
      victim.close();
      throw new IOException("the other process said " + word);
    }
    return victim;
  }

  /** Whether the process has not ended. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it without notifying any node. */
  void kill() {
    process.destroyForcibly();
  }

  /** Asks it to end, as an operator does by SIGTERM. */
  void terminate() {
    // Process.destroy would close its input too, which ends it in order by itself.
    process.toHandle().destroy();
  }

  /** Returns when it has ended; returns how long that took, in milliseconds. */
  long awaitEnd() throws InterruptedException {
    long began = System.nanoTime();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("process " + process.pid() + " does not end");
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Joins the grid that the arguments name and lives until its input ends, which happens when its
   * parent ends.
   */
  public static void main(String[] arguments) {
    int size = Integer.parseInt(arguments[2]);
    TestGrid cluster = new TestGrid(arguments[0], Integer.parseInt(arguments[1]), size);
    int place = Integer.parseInt(arguments[3]);
    GridConfig alone = cluster.configAt(place).shutdownHook(Boolean.parseBoolean(arguments[5]));
    GridConfig config = arguments[4].isEmpty() ? alone : alone.rack(arguments[4]);
    try (Grid grid = Grid.join(config)) {
      System.out.println(JOINED + " " + grid.nodeName());
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
