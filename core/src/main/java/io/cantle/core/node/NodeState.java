package io.cantle.core.node;

import io.cantle.GridException;
import io.cantle.core.base.Clock;
import io.cantle.core.call.CallLoop;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.DiscoveryEffect.ReportForeignGrid;
import io.cantle.core.discovery.DiscoveryEffect.ReportPartitionHandling;
import io.cantle.core.discovery.DiscoveryEffect.ReportStoreRefusal;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.transport.MessagingService;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node can be used: it has joined a grid, has not failed, and is not closed. A failure
 * ends every wait of the node. A grid that the node cannot be part of refuses it while it is
 * joining; a node that served in a grid of its own fails.
 *
 * <p><b>Threading:</b> any thread.
 */
final class NodeState {
  private static final System.Logger LOG = System.getLogger(NodeState.class.getName());

  private final MessagingService messaging;
  private final Clock clock;
  private final NodeErrorMessages errorMessages;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean joined;
  private volatile @Nullable String failure;

  /** What a failure is thrown as if the node has not joined yet. */
  private volatile Function<String, RuntimeException> joinException = GridException::new;

  NodeState(MessagingService messaging, Clock clock, NodeErrorMessages errorMessages) {
    this.messaging = messaging;
    this.clock = clock;
    this.errorMessages = errorMessages;
  }

  void markJoined() {
    joined = true;
  }

  boolean hasJoined() {
    return joined;
  }

  /** Marks the node as closed; returns whether it was open. */
  boolean markClosed() {
    return closed.compareAndSet(false, true);
  }

  /** Marks the node as failed; needs no memory. */
  void markFailed(String reason) {
    failure = reason;
  }

  /** Marks the node as failed, logs the reason, and ends what waits. */
  void fail(String reason) {
    markFailed(reason);
    LOG.log(System.Logger.Level.ERROR, reason);
    messaging.wakeAll();
  }

  /** Takes the report of a grid that this node cannot be part of. */
  void onForeignGrid(ForeignGridReport report) {
    switch (report) {
      case ReportForeignGrid() -> fail(errorMessages.otherGridWithData());
      case ReportStoreRefusal(JoinRefusal refusal) when !joined && messaging.self().hasStore() ->
          refuseJoin(refusal.text(), StoreRefusedException::new);
      case ReportStoreRefusal(JoinRefusal refusal) ->
          serveNoMore(refusal.text() + "; start it again");
      case ReportPartitionHandling(PartitionHandling gridMode) when !joined ->
          refuseJoin(errorMessages.whenCutMismatch(gridMode), IllegalStateException::new);
      // It founded a grid of its own and gave it up for this one.
      case ReportPartitionHandling(PartitionHandling gridMode) ->
          serveNoMore(errorMessages.whenCutMismatch(gridMode));
    }
  }

  private void serveNoMore(String reason) {
    if (!hasFailed()) {
      fail(errorMessages.servesNoMore(reason));
    }
  }

  private void refuseJoin(String reason, Function<String, RuntimeException> exception) {
    if (!hasFailed()) {
      joinException = exception;
      markFailed(reason);
      messaging.wakeAll();
    }
  }

  String nodeName() {
    return messaging.self().name();
  }

  boolean isClosed() {
    return closed.get();
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** The exception of a start that has not succeeded: the failure, or what is given if none is. */
  RuntimeException joinException(String otherwise) {
    String reason = failure;
    return reason == null ? new GridException(otherwise) : joinException.apply(reason);
  }

  void checkNotFailed() {
    String reason = failure;
    if (reason != null) {
      throw new GridException(reason);
    }
  }

  void checkUsable() {
    checkNotFailed();
    if (isClosed()) {
      throw new IllegalStateException(errorMessages.closed());
    }
  }

  /**
   * Waits until a condition holds, and repeats an action meanwhile. The wait also ends when the
   * node fails, when the thread is interrupted, and with the timeout.
   *
   * @return whether the condition holds
   */
  boolean await(Duration timeout, BooleanSupplier condition, Runnable action) {
    long deadline = clock.nanoTime() + timeout.toNanos();
    Supplier<@Nullable Boolean> effect =
        () -> condition.getAsBoolean() ? Boolean.TRUE : hasFailed() ? Boolean.FALSE : null;
    return Boolean.TRUE.equals(CallLoop.awaitEffect(clock, deadline, effect, action));
  }
}
