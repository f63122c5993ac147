package io.cantle.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The JVM of a {@link PeerRound} while it runs. Its log is kept where something failed.
 *
 * <p><b>Threading:</b> one thread; another of its own reads the output of the JVM.
 */
final class RunningRound implements AutoCloseable {

  /** At most one turn is in progress, and the end comes after it. */
  private static final int MAX_EVENTS = 2;

  private enum Event {
    TURN_OVER,
    ENDED
  }

  private final BenchmarkChildProcess child = new BenchmarkChildProcess();
  private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(MAX_EVENTS);
  private final Path folder;
  private final Path log;
  private final int limitSeconds;
  private final long deadlineNanos;
  private final Process process;
  private final OutputStream turns;
  private final Thread reader;
  private boolean ended;

  /**
   * Starts the JVM.
   *
   * @param settings what to run
   * @param mode {@link PeerRound#ALONE} or {@link PeerRound#PAIRED}
   * @param limitSeconds how long it may run
   * @param progress receives each line for the user
   * @throws IOException if the JVM does not start
   */
  RunningRound(PeerRoundProcess settings, String mode, int limitSeconds, Consumer<String> progress)
      throws IOException {
    this.limitSeconds = limitSeconds;
    deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
    folder = Files.createTempDirectory("cantle-bench-" + settings.label() + "-");
    log = folder.resolve("log.txt");
    boolean started = false;
    try {
      process =
          child.start(
              new ProcessBuilder(settings.command(folder, mode)).redirectError(log.toFile()));
      started = true;
    } finally {
      if (!started) {
        child.close();
      }
    }
    turns = process.getOutputStream();
    reader = Thread.ofVirtual().start(() -> read(progress));
  }

  /**
   * Gives a turn to a paired round and waits until it is over.
   *
   * @return false if the JVM has ended or its time is up
   */
  boolean takeTurn() throws InterruptedException {
    if (ended) {
      return false;
    }
    try {
      turns.write('\n');
      turns.flush();
      ended = events.poll(nanosLeft(), TimeUnit.NANOSECONDS) != Event.TURN_OVER;
    } catch (IOException gone) {
      ended = true;
    }
    return !ended;
  }

  /** Waits for the end of the JVM, or of its time, and returns the result. */
  PeerRoundResult result() throws IOException, InterruptedException {
    PeerRoundResult result = awaitResult();
    if (result.failures().isEmpty()) {
      deleteFolder();
      return result;
    }
    return new PeerRoundResult(
        result.version(),
        result.scores(),
        result.failures().stream().map(failure -> failure + " (log: " + log + ")").toList());
  }

  private PeerRoundResult awaitResult() throws IOException, InterruptedException {
    if (!process.waitFor(nanosLeft(), TimeUnit.NANOSECONDS)) {
      return PeerRoundResult.ofFailure("no end after " + limitSeconds + " s");
    }
    reader.join();
    Path file = folder.resolve(PeerRound.RESULT_FILE);
    return process.exitValue() == 0 && Files.isRegularFile(file)
        ? PeerRoundResult.read(file)
        : PeerRoundResult.ofFailure("the JVM ended with exit code " + process.exitValue());
  }

  private long nanosLeft() {
    return Math.max(0, deadlineNanos - System.nanoTime());
  }

  private void read(Consumer<String> progress) {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(TurnGate.TURN_OVER)) {
          events.put(Event.TURN_OVER);
        } else {
          progress.accept(line);
        }
      }
    } catch (IOException | InterruptedException ended) {
      // The process was ended in the middle of a line; its result says why.
    }
    if (!events.offer(Event.ENDED)) {
      throw new IllegalStateException("more than one turn at a time");
    }
  }

  private void deleteFolder() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : all) {
        Files.delete(file);
      }
    }
  }

  /** Ends the JVM if it still runs. */
  @Override
  public void close() {
    child.close();
  }
}
