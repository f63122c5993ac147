package io.cantle.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a run outside this process: processes, a network, a folder. All of them are
 * removed when this is closed, and also when the process is told to end before. The folder stays if
 * it is kept.
 *
 * <p><b>Threading:</b> the main thread; another thread closes it when the process ends.
 */
final class ChaosResources implements AutoCloseable {
  private final TestNetwork network;
  private final Path folder;
  private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::requestEnd);
  private volatile boolean folderKept;
  private volatile boolean endRequested;
  private volatile @Nullable NodeFleet fleet;

  /**
   * Creates the folder, and nothing else.
   *
   * @param history the folder for histories, which is kept; null for one that is not
   * @throws IllegalArgumentException if it is not empty, or cannot be created
   */
  ChaosResources(TestNetwork network, @Nullable Path history) throws IOException {
    this.network = network;
    this.folderKept = history != null;
    this.folder = history == null ? Files.createTempDirectory("cantle-chaos-") : create(history);
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  private static Path create(Path folder) {
    try {
      Files.createDirectories(folder);
      try (Stream<Path> files = Files.list(folder)) {
        if (files.findAny().isPresent()) {
          throw new IllegalArgumentException(
              "--history " + folder + " is not empty: histories of two runs must not mix");
        }
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("--history " + folder + " cannot be made: " + e, e);
    }
    return folder;
  }

  Path folder() {
    return folder;
  }

  /** Creates the set of processes of this run, which is empty at first. */
  NodeFleet fleet(ChaosSettings settings, int port) {
    NodeFleet made = new NodeFleet(settings, network, folder, port);
    fleet = made;
    return made;
  }

  /**
   * Keeps the folder, which shows what went wrong. It is not kept when the process was told to end:
   * whatever goes wrong then is of no interest.
   */
  void keepFolder() {
    folderKept |= !endRequested;
  }

  /** Returns whether the process was told to end. */
  boolean isEnding() {
    return endRequested;
  }

  boolean isKept() {
    return folderKept;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The shutdown hook runs already; closing twice does no harm.
    }
    cleanUp();
  }

  private void requestEnd() {
    endRequested = true;
    cleanUp();
  }

  private void cleanUp() {
    NodeFleet processes = fleet;
    if (processes != null) {
      processes.close();
    }
    network.close();
    if (!folderKept) {
      deleteFolder();
    }
  }

  private void deleteFolder() {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // Left-over logs in the folder for temporary files are no failure of the run.
    }
  }
}
