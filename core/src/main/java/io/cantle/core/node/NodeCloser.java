package io.cantle.core.node;

import io.cantle.core.base.Clock;
import io.cantle.core.call.CallLoop;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes a node: in order, after it has left its grid, or at once if its disk or its memory has
 * failed.
 *
 * <p><b>Threading:</b> any thread; only the first call closes, others wait for it.
 */
final class NodeCloser {
  private static final System.Logger LOG = System.getLogger(NodeCloser.class.getName());

  /** How much of its timeout a node that gave up joining may take to leave, as a divisor. */
  private static final int LEAVE_PART_OF_JOIN = 20;

  private final Node node;
  private final Duration leaveTimeout;

  /** The message for an exhausted memory, built in advance. */
  private final String outOfMemoryText;

  private volatile boolean isShutDown;

  NodeCloser(Node node) {
    this.node = node;
    this.leaveTimeout = node.config.limits().leaveTimeout();
    this.outOfMemoryText = node.errorMessages.outOfMemory(node.environment.heapBytes());
  }

  /** Leaves the grid and closes the node; returns when it is closed. */
  void close() {
    // An interrupt must not hurry the leave; it is restored afterwards.
    boolean interrupted = Thread.interrupted();
    try {
      if (node.state.markClosed()) {
        interrupted |= leaveGrid();
        shutDown();
      } else {
        interrupted |= awaitShutDown();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits until another thread has closed the node, also if the node has failed: what it had open
   * may be opened again as soon as this returns. Returns whether the thread was interrupted.
   */
  private boolean awaitShutDown() {
    Clock clock = node.environment.clock();
    long deadline = clock.nanoTime() + leaveTimeout.toNanos();
    Supplier<@Nullable Boolean> effect = () -> isShutDown ? Boolean.TRUE : null;
    boolean interrupted = false;
    while (!isShutDown && deadline - clock.nanoTime() > 0) {
      CallLoop.awaitEffect(clock, deadline, effect, () -> {});
      interrupted |= Thread.interrupted();
    }
    return interrupted;
  }

  private boolean leaveGrid() {
    if (node.state.hasFailed() || node.topologyDriver.closeIfLeft()) {
      return false;
    }
    LeaveProgressLogger progressLogger =
        new LeaveProgressLogger(
            node.messaging.self(),
            leaveTimeout,
            node.environment.clock(),
            node.topologyDriver::current,
            node.topologyDriver::isCutOff,
            node.replicas.losingReplicas().backlog()::unmergedCount,
            text -> LOG.log(System.Logger.Level.INFO, text));
    boolean interrupted =
        awaitUninterruptibly(
            timeToLeave(), node.topologyDriver::closeIfLeft, () -> reportLeaving(progressLogger));
    if (node.state.hasJoined() && !node.topologyDriver.closeIfLeft()) {
      logLeftEarly(progressLogger);
    }
    return interrupted;
  }

  /** A node that is not to wait leaves on purpose like that, as where a whole grid is stopped. */
  private void logLeftEarly(LeaveProgressLogger progressLogger) {
    if (leaveTimeout.isZero()) {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} left without waiting until others have taken over (GridConfig.leaveTimeout is 0)",
          node.messaging.self().name());
    } else {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} left although others had not taken over everything within {1} ms (leaveTimeout){2}",
          node.messaging.self().name(),
          leaveTimeout.toMillis(),
          progressLogger.describeSoleSegments());
    }
  }

  /**
   * How long to wait for others to take over. A node that was not admitted in time has nothing that
   * is missed, and its user has waited for the whole timeout.
   */
  private Duration timeToLeave() {
    Duration notJoined = node.config.limits().timeout().dividedBy(LEAVE_PART_OF_JOIN);
    return node.state.hasJoined() || notJoined.compareTo(leaveTimeout) > 0
        ? leaveTimeout
        : notJoined;
  }

  private void reportLeaving(LeaveProgressLogger progressLogger) {
    node.topologyDriver.reportLeaving();
    if (!node.topologyDriver.hasLeft()) {
      progressLogger.run();
    }
  }

  /** Waits for at most this time; returns whether the thread was interrupted meanwhile. */
  private boolean awaitUninterruptibly(
      Duration timeout, BooleanSupplier condition, Runnable action) {
    long deadline = node.environment.clock().nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    while (true) {
      Duration left = Duration.ofNanos(deadline - node.environment.clock().nanoTime());
      node.state.await(left, condition, action);
      if (!Thread.interrupted()) {
        return interrupted;
      }
      interrupted = true;
    }
  }

  /** Leaves, since nothing the node holds is reliable any more; others hold it and continue. */
  void closeAfterStoreFailure(Throwable reason) {
    node.state.fail(node.errorMessages.storeFailed(reason));
    node.topologyDriver.abandon();
    node.messaging.wakeAll();
    if (node.state.markClosed()) {
      node.environment.threads().execute(this::shutDown);
    }
  }

  /**
   * Closes the node because there was no memory for its work. What is half done is not known, and
   * threads that deliver messages may be dead. The sockets are closed first, so that the other
   * nodes continue without this one at once. The process continues, since it does not belong to
   * this node.
   *
   * <p>This method may run out of memory itself, and is called again until it returns.
   */
  void closeWithoutMemory() {
    try {
      node.messaging.abort();
    } finally {
      // The program may hold all memory until it hears of this.
      node.state.markFailed(outOfMemoryText);
      node.state.markClosed();
    }
    node.topologyDriver.abandon();
    node.messaging.wakeAll();
    LOG.log(System.Logger.Level.ERROR, outOfMemoryText);
    shutDown();
  }

  private void shutDown() {
    // Calls that still wait end now, and say that the node is closed.
    node.topologyDriver.abandon();
    node.messaging.wakeAll();
    node.membershipListeners.close();
    node.scanServer.close();
    node.stateTransfer.close();
    node.droppedReplicaReporter.close();
    node.reconciler.close();
    node.expirer.close();
    node.evictor.close();
    node.progressExchange.close();
    node.heapExchange.close();
    node.topologyDriver.close();
    node.messaging.close();
    node.localGrids.close();
    node.store.close();
    node.replicas.close();
    node.environment.heapGuard().removeReservations(node.memory);
    node.onClosed.run();
    isShutDown = true;
  }
}
