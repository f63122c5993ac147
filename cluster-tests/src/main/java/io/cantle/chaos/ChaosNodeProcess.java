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
 * A node as the conductor sees it: the process of a {@link ChaosNode}.
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

  /** How many calls its clients have ended, as it said last. */
  long operationCount() {
    return operations.get();
  }

  boolean isPaused() {
    return process.isPaused();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it ended though nobody wanted it to. */
  boolean hasFailed() {
    return process.hasFailed();
  }

  /** Whether it is a member, and not just starting. */
  boolean hasJoined() {
    return process.isReady();
  }

  /**
   * Waits until it has joined; says when that was, or nothing if it has not within the patience.
   */
  Optional<JsonLine> awaitJoined(Duration patience) throws InterruptedException {
    return process.awaitReady(patience);
  }

  /** Gives an order, whose answer comes later. */
  CompletableFuture<JsonLine> order(NodeOrder order, JsonLine details) {
    return process.order(order.name(), details);
  }

  /** Gives an order and waits for the answer; nothing if it does not come or is an error. */
  Optional<JsonLine> ask(NodeOrder order, JsonLine details, Duration patience)
      throws InterruptedException {
    return process.orderAndAwait(order.name(), details, patience);
  }

  /** SIGKILL: no chance to say goodbye. Returns when it is dead. */
  void kill() throws InterruptedException {
    process.kill();
  }

  /** SIGKILL without waiting. */
  void destroy() {
    process.destroy();
  }

  /** SIGSTOP: it stands still until {@link #resume}. */
  void pause() throws ChaosException, InterruptedException {
    process.pause();
  }

  /** SIGCONT. */
  void resume() throws ChaosException, InterruptedException {
    process.resume();
  }

  /** Has it leave; returns at once. */
  void orderLeave() {
    process.expectEnd();
    CompletableFuture<JsonLine> _ = order(NodeOrder.LEAVE, JsonLine.empty());
  }

  /** Waits for its end; whether it came. */
  boolean awaitEnd(Duration patience) throws InterruptedException {
    return process.awaitEnd(patience);
  }

  /** Has it write down what all its threads do; it may stand still, then nothing comes of it. */
  void dumpThreads() throws InterruptedException {
    process.dumpThreads();
  }
}
