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
 * The process of a {@link CrashWriter}, as the conductor sees it. Closing it kills it and reads the
 * rest of its output.
 *
 * <p><b>Threading:</b> one thread; one more reads the output.
 */
final class CrashWriterProcess implements AutoCloseable {
  private static final int END_TIMEOUT_SECONDS = 60;

  private final Process process;
  private final CrashWorkload.WriterLedger ledger;
  private final CountDownLatch opening = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private final Thread outputReader = Thread.ofPlatform().daemon().unstarted(this::readOutput);
  private volatile String failure = "";

  private CrashWriterProcess(Process process, CrashWorkload.WriterLedger ledger) {
    this.process = process;
    this.ledger = ledger;
  }

  /**
   * Starts a writer.
   *
   * @param before words in front of its command line
   * @param errors a file for its standard error
   */
  static CrashWriterProcess start(
      List<String> before, CrashedFolder victim, String forgotten, File errors) throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx192m",
            "-XX:+UseSerialGC",
            // It lives for a second, in which the second compiler would occupy the processor.
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            System.getProperty("java.class.path"),
            CrashWriter.class.getName()));
    command.addAll(victim.writerArguments(forgotten));
    Process process = new ProcessBuilder(command).redirectError(errors).start();
    CrashWriterProcess writer = new CrashWriterProcess(process, victim.ledger());
    writer.outputReader.start();
    return writer;
  }

  private void readOutput() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        switch (line) {
          case WriterOutput.OPENING -> opening.countDown();
          case WriterOutput.OPENED -> opened.countDown();
          default -> {
            if (line.charAt(0) == WriterOutput.FAILED && failure.isEmpty()) {
              failure = line;
            }
            ledger.onLine(line);
          }
        }
      }
    } catch (IOException _) {
      // It was killed.
    }
    opening.countDown();
    opened.countDown();
  }

  /** Waits until it begins to open existing files; returns whether it did. */
  boolean awaitOpening() throws InterruptedException {
    return opening.await(END_TIMEOUT_SECONDS, TimeUnit.SECONDS) && process.isAlive();
  }

  /** Waits until it begins to write; returns whether it did. */
  boolean awaitOpened() throws InterruptedException {
    return opened.await(END_TIMEOUT_SECONDS, TimeUnit.SECONDS) && process.isAlive();
  }

  /** Waits for its end; returns whether it ended. */
  boolean awaitEnd(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /** Returns what it reported of its first failure; empty if nothing failed. */
  String failure() {
    return failure;
  }

  /** Sends SIGKILL, also to what runs inside a tracer. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    // By its handle: destroying the process itself would close the pipe with all output that was
    // not read yet.
    boolean _ = process.toHandle().destroyForcibly();
  }

  @Override
  public void close() {
    kill();
    try {
      boolean ended = process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      outputReader.join();
      if (!ended) {
        throw new IllegalStateException("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
