package io.cantle.core.scan;

import io.cantle.core.base.Signal;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of this node, as scans find them.
 *
 * <p><b>Threading:</b> any thread; only {@link SegmentScan#awaitDirty} waits.
 */
record LocalReplicas(ReplicaContext context, ExpiryTrigger expiryTrigger) {
  private static final long MAX_COMMIT_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Finds a replica, without the entries that are due to expire; null if it is not here. */
  @Nullable Replica find(int cache, int segment) {
    Replica replica = context.replicas().find(cache, segment);
    if (replica != null) {
      expiryTrigger.expireDue(replica);
    }
    return replica;
  }

  /** Begins the scan of a segment; null unless its replica here is in an admitted state. */
  @Nullable SegmentScan open(int cache, ScanTarget target, Predicate<ReplicaState> admitted) {
    Replica replica = find(cache, target.segment());
    ReplicaState state = replica == null ? null : replica.state();
    if (replica == null || state == null || !admitted.test(state)) {
      return null;
    }
    long hashSeed = context.topologyDriver().current().hashSeed();
    return new SegmentScan(
        replica, state, target, hashSeed, entry -> awaitCommitted(replica, state.epoch(), entry));
  }

  /** About how many bytes the answer to a pull of entries takes, if the pull allows so many. */
  long estimateBytes(PullRequest pull) {
    long bytes = 0;
    long entries = 0;
    for (ScanTarget target : pull.targets()) {
      Replica replica = context.replicas().find(pull.cache(), target.segment());
      if (replica != null) {
        bytes += replica.entries().sizeBytes();
        entries += replica.entries().liveCount();
      }
    }
    return entries <= pull.maxElements() ? bytes : bytes / entries * pull.maxElements();
  }

  /** Waits until an entry is committed; returns false if it is not, or not in time. */
  private boolean awaitCommitted(Replica replica, int epoch, Entry entry) {
    Signal signal = new Signal();
    AtomicBoolean committed = new AtomicBoolean();
    context
        .progressExchange()
        .notifyOnceCommitted(
            replica,
            epoch,
            entry.index(),
            isCommitted -> {
              committed.set(isCommitted);
              signal.raise();
            });
    signal.await(context.environment().clock(), MAX_COMMIT_WAIT_NANOS);
    return committed.get();
  }
}
