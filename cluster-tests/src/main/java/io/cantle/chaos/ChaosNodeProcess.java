package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The process of a {@link ChaosNode}, as the conductor sees it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChaosNodeProcess {
  private final ChaosNodeSettings settings;
  private final ChildProcess process;
  private final AtomicLong operations;

  private ChaosNodeProcess(
      ChaosNodeSettings settings, ChildProcess process, AtomicLong operations) {
    this.settings = settings;
    this.process = process;
    this.operations = operations;
  }

  static ChaosNodeProcess start(ChaosNodeSettings settings, List<String> command)
      throws IOException {
    AtomicLong operations = new AtomicLong();
    ChildProcess process =
        ChildProcess.start(
            settings.historyFile(),
            settings.folder(),
            command,
            line -> operations.set(line.number("operations")));
    return new ChaosNodeProcess(settings, process, operations);
  }

  ChaosNodeSettings settings() {
    return settings;
  }

  int placeNumber() {
    return settings.place();
  }

  /** Returns how many calls its clients have ended, by its last report. */
  long operationCount() {
    return operations.get();
  }

  boolean isPaused() {
    return process.isPaused();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns whether it ended unexpectedly. */
  boolean hasFailed() {
    return process.hasFailed();
  }

  /** Returns whether it is a member, rather than still starting. */
  boolean hasJoined() {
    return process.isReady();
  }

  /** Waits until it has joined; returns when that was, or nothing if it has not joined in time. */
  Optional<JsonLine> awaitJoined(Duration patience) throws InterruptedException {
    return process.awaitReady(patience);
  }

  /** Sends an order, whose answer comes later. */
  CompletableFuture<JsonLine> order(NodeOrder order, JsonLine details) {
    return process.order(order.name(), details);
  }

  /**
   * Sends an order and waits for the answer; returns nothing if there is none in time or it is an
   * error.
   */
  Optional<JsonLine> ask(NodeOrder order, JsonLine details, Duration patience)
      throws InterruptedException {
    return process.orderAndAwait(order.name(), details, patience);
  }

  /** Sends SIGKILL, and returns when the process is dead. */
  void kill() throws InterruptedException {
    process.kill();
  }

  /** Sends SIGKILL without waiting. */
  void destroy() {
    process.destroy();
  }

  /** Sends SIGSTOP: the process is paused until {@link #resume}. */
  void pause() throws ChaosException, InterruptedException {
    process.pause();
  }

  /** Sends SIGCONT. */
  void resume() throws ChaosException, InterruptedException {
    process.resume();
  }

  /** Orders it to leave; returns at once. */
  void orderLeave() {
    process.expectEnd();
    CompletableFuture<JsonLine> _ = order(NodeOrder.LEAVE, JsonLine.empty());
  }

  /** Waits for its end; returns whether it ended. */
  boolean awaitEnd(Duration patience) throws InterruptedException {
    return process.awaitEnd(patience);
  }

  /** Makes it write a thread dump to its log. A paused process writes none. */
  void dumpThreads() throws InterruptedException {
    process.dumpThreads();
  }
}
