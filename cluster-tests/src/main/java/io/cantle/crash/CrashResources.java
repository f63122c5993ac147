package io.cantle.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a run outside this process: a process, mounted images, a folder. All of them are
 * removed when this is closed, and when the process is told to end before.
 *
 * <p><b>Threading:</b> the main thread; another thread closes it when the process ends.
 */
final class CrashResources implements AutoCloseable {
  private static final int END_TIMEOUT_SECONDS = 30;

  private final Path folder = Files.createTempDirectory("cantle-crash-");
  private final List<DiskImage> images = new ArrayList<>();
  private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::requestEnd);
  private final CountDownLatch cleared = new CountDownLatch(1);
  private volatile boolean endRequested;
  private volatile @Nullable CrashWriterProcess writer;

  CrashResources() throws IOException {
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  Path folder() {
    return folder;
  }

  /** Creates a file system of this kind. */
  DiskImage createImage(String kind) throws CrashException, IOException, InterruptedException {
    DiskImage image = DiskImage.create(kind, folder);
    synchronized (images) {
      images.add(image);
    }
    return image;
  }

  /**
   * Starts a writer, the only one at that time.
   *
   * @throws InterruptedException if the process was told to end
   */
  CrashWriterProcess startWriter(List<String> before, CrashedFolder victim, String forgotten)
      throws IOException, InterruptedException {
    if (endRequested) {
      throw new InterruptedException();
    }
    CrashWriterProcess started =
        CrashWriterProcess.start(before, victim, forgotten, folder.resolve("errors").toFile());
    writer = started;
    return started;
  }

  /** Returns the errors that the last writer printed. */
  String describeLeftovers() throws IOException {
    return Files.readString(folder.resolve("errors")).strip();
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException _) {
      // The shutdown hook runs already; closing twice does no harm.
    }
    cleanUp();
    cleared.countDown();
  }

  /** Returns whether the process was told to end. */
  boolean isEnding() {
    return endRequested;
  }

  /** Lets the main thread end, which is soon once it has no writer any more. */
  private void requestEnd() {
    endRequested = true;
    CrashWriterProcess last = writer;
    if (last != null) {
      last.kill();
    }
    try {
      if (!cleared.await(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        cleanUp();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void cleanUp() {
    CrashWriterProcess last = writer;
    if (last != null) {
      last.close();
    }
    synchronized (images) {
      images.forEach(DiskImage::close);
    }
    try {
      CrashedFolder.remove(folder);
    } catch (IOException _) {
      // Left-over files in the folder for temporary ones are no failure of the run.
    }
  }
}
