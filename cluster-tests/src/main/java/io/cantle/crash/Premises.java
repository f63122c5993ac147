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
final class Premises implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;

  private final Path folder = Files.createTempDirectory("cantle-crash-");
  private final List<Image> images = new ArrayList<>();
  private final Thread cleaner = Thread.ofPlatform().unstarted(this::end);
  private final CountDownLatch cleared = new CountDownLatch(1);
  private volatile boolean ending;
  private volatile @Nullable WriterProcess writer;

  Premises() throws IOException {
    Runtime.getRuntime().addShutdownHook(cleaner);
  }

  Path folder() {
    return folder;
  }

  /** A file system of this kind. */
  Image image(String kind) throws CrashException, IOException, InterruptedException {
    Image image = Image.make(kind, folder);
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
  WriterProcess writer(List<String> before, Victim victim, String forgotten)
      throws IOException, InterruptedException {
    if (ending) {
      throw new InterruptedException();
    }
    WriterProcess started =
        WriterProcess.start(before, victim, forgotten, folder.resolve("errors").toFile());
    writer = started;
    return started;
  }

  /** What the last writer complained about. */
  String complaint() throws IOException {
    return Files.readString(folder.resolve("errors")).strip();
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(cleaner);
    } catch (IllegalStateException _) {
      // It runs already; twice does no harm.
    }
    clear();
    cleared.countDown();
  }

  /** Whether the process was told to end. */
  boolean isEnding() {
    return ending;
  }

  /** Lets the main thread come to its end, which is soon when it has no writer any more. */
  private void end() {
    ending = true;
    WriterProcess last = writer;
    if (last != null) {
      last.kill();
    }
    try {
      if (!cleared.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        clear();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void clear() {
    WriterProcess last = writer;
    if (last != null) {
      last.close();
    }
    synchronized (images) {
      images.forEach(Image::close);
    }
    try {
      Victim.remove(folder);
    } catch (IOException _) {
      // Left-over files in the folder for temporary ones are no failure of the run.
    }
  }
}
