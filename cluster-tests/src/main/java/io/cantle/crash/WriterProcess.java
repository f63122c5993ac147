package io.cantle.crash;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A {@link Writer} as the conductor sees it. Closing it kills it and hears what it had said.
 *
 * <p><b>Threading:</b> one thread; one more hears.
 */
final class WriterProcess implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final Work.Ledger ledger;
  private final CountDownLatch opening = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private final Thread hearer = Thread.ofPlatform().daemon().unstarted(this::hear);
  private volatile String failure = "";

  private WriterProcess(Process process, Work.Ledger ledger) {
    this.process = process;
    this.ledger = ledger;
  }

  /**
   * Starts one.
   *
   * @param before words in front of its command line
   * @param errors a file for what it complains about
   */
  static WriterProcess start(List<String> before, Victim victim, String forgotten, File errors)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx192m",
            "-XX:+UseSerialGC",
            // It lives for a second: the second compiler would take the processor.
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            System.getProperty("java.class.path"),
            Writer.class.getName()));
    command.addAll(victim.words(forgotten));
    Process process = new ProcessBuilder(command).redirectError(errors).start();
    WriterProcess writer = new WriterProcess(process, victim.ledger());
    writer.hearer.start();
    return writer;
  }

  private void hear() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        switch (line) {
          case Say.OPENING -> opening.countDown();
          case Say.OPENED -> opened.countDown();
          default -> {
            if (line.charAt(0) == Say.FAILED && failure.isEmpty()) {
              failure = line;
            }
            ledger.hear(line);
          }
        }
      }
    } catch (IOException _) {
      // It was killed.
    }
    opening.countDown();
    opened.countDown();
  }

  /** Waits until it begins to open what is there; whether it did. */
  boolean awaitOpening() throws InterruptedException {
    return opening.await(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.isAlive();
  }

  /** Waits until it begins to write; whether it did. */
  boolean awaitOpened() throws InterruptedException {
    return opened.await(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.isAlive();
  }

  /** Waits for its end; whether it came. */
  boolean awaitEnd(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /** What it said of its first failure; empty if nothing failed. */
  String failure() {
    return failure;
  }

  /** SIGKILL, to what runs inside a tracer as well. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    // By its handle: the process itself would close the pipe with all that was said and not yet
    // heard.
    boolean _ = process.toHandle().destroyForcibly();
  }

  @Override
  public void close() {
    kill();
    try {
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      hearer.join();
      if (!ended) {
        throw new IllegalStateException("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
