package io.cantle.chaos.scenario.clock;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A node of {@link FrozenClock}, as the process that directs it sees it. It can be suspended
 * together with its monotonic clock.
 *
 * <p><b>Threading:</b> one thread.
 */
final class FrozenNode {
  private static final int STOP_SECONDS = 10;
  private static final long POLL_MILLIS = 2;

  private final ChildProcess process;
  private final HeldClock clock;
  private List<Integer> owned = List.of();
  private long suspendedAt;

  FrozenNode(ChildProcess process, HeldClock clock) {
    this.process = process;
    this.clock = clock;
  }

  ChildProcess process() {
    return process;
  }

  String name() {
    return process.name();
  }

  /** Starts its threads that read without a break. */
  void read(Duration timeout) throws ChaosException, InterruptedException {
    String answer = process.requireAnswer("read", JsonLine.empty(), timeout).text("owned");
    owned =
        Stream.of(answer.split(",", -1))
            .filter(word -> !word.isEmpty())
            .map(Integer::valueOf)
            .toList();
  }

  /** Returns the counters they read. */
  List<Integer> owned() {
    return owned;
  }

  /** Ends the reading; returns what was found. */
  JsonLine stopReading(Duration timeout) throws ChaosException, InterruptedException {
    return process.requireAnswer("stop-reading", JsonLine.empty(), timeout);
  }

  /** Stops all its threads; returns when none runs any more. */
  void suspend() throws ChaosException, IOException, InterruptedException {
    process.pause();
    long began = System.nanoTime();
    while (!hasStopped()) {
      if (System.nanoTime() - began > Duration.ofSeconds(STOP_SECONDS).toNanos()) {
        throw new ChaosException(ChaosException.FAILED_STATUS, name() + " does not stop");
      }
      Thread.sleep(POLL_MILLIS);
    }
    suspendedAt = System.nanoTime();
  }

  /** Holds its clock back for as long as it was paused, and resumes it. */
  void resume() throws ChaosException, InterruptedException {
    clock.holdBack(System.nanoTime() - suspendedAt);
    process.resume();
  }

  private boolean hasStopped() throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path thread : threads.toList()) {
        String stat = Files.readString(thread.resolve("stat"));
        // The name before the state may contain anything, but stands in parentheses.
        if (!stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("T")) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Returns how far its clock is behind that of this process.
   *
   * @throws ChaosException if that differs from how far it was held back: then the run proves
   *     nothing
   */
  long checkedLagNanos(Duration timeout) throws ChaosException, InterruptedException {
    long before = System.nanoTime();
    long its = process.requireAnswer("state", JsonLine.empty(), timeout).number("nanoTime");
    long after = System.nanoTime();
    if (before - its > clock.heldNanos() || after - its < clock.heldNanos()) {
      throw new ChaosException(
          ChaosException.FAILED_STATUS,
          "the clock of "
              + name()
              + " is "
              + (after - its)
              + " ns behind, not the "
              + clock.heldNanos()
              + " ns it was held back by: the library does not reach it");
    }
    return clock.heldNanos();
  }
}
