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
 * What a run leaves in the world: a process, mounted images, a folder. All of it goes when this is
 * closed, and when the process is told to end before.
 *
 * <p><b>Threading:</b> the main thread; the closing when the process ends is another one's.
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

  /** A file system of this kind. */
  DiskImage createImage(String kind) throws CrashException, IOException, InterruptedException {
    DiskImage image = DiskImage.create(kind, folder);
    synchronized (images) {
      images.add(image);
    }
    return image;
  }

  /**
   * A writer, the only one then.
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

  /** What the last writer complained about. */
  String describeLeftovers() throws IOException {
    return Files.readString(folder.resolve("errors")).strip();
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException _) {
      // It runs already; twice does no harm.
    }
    cleanUp();
    cleared.countDown();
  }

  /** Whether the process was told to end. */
  boolean isEnding() {
    return endRequested;
  }

  /** Lets the main thread come to its end, which is soon when it has no writer any more. */
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
