package io.cantle.core.scan;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.ProgressExchange;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.wire.ScanTarget;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of this node, as scans find them.
 *
 * <p><b>Threading:</b> any thread; only {@link #awaitCommitted} waits.
 */
final class LocalReplicas {
  private static final long MAX_COMMIT_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ReplicaTable replicas;
  private final ExpiryTrigger expiryTrigger;
  private final ProgressExchange progressExchange;
  private final Environment environment;
  private final LongSupplier hashSeed;

  LocalReplicas(
      ReplicaTable replicas,
      ExpiryTrigger expiryTrigger,
      ProgressExchange progressExchange,
      Environment environment,
      LongSupplier hashSeed) {
    this.replicas = replicas;
    this.expiryTrigger = expiryTrigger;
    this.progressExchange = progressExchange;
    this.environment = environment;
    this.hashSeed = hashSeed;
  }

  /** Finds a replica, without the entries that are due to expire; null if it is not here. */
  @Nullable Replica find(int cache, int segment) {
    Replica replica = replicas.find(cache, segment);
    if (replica != null) {
      expiryTrigger.expireDue(replica);
    }
    return replica;
  }

  /** Begins the scan of a segment; null unless its replica here is in an admitted state. */
  @Nullable SegmentScan open(int cache, ScanTarget target, Predicate<ReplicaState> admitted) {
    Replica replica = find(cache, target.segment());
    ReplicaState state = replica == null ? null : replica.state();
    return replica != null && state != null && admitted.test(state)
        ? new SegmentScan(replica, state, target, hashSeed.getAsLong())
        : null;
  }

  /** Waits until an entry is committed; returns false if it is not, or not in time. */
  boolean awaitCommitted(Replica replica, int epoch, Entry entry) {
    Signal signal = new Signal();
    AtomicBoolean committed = new AtomicBoolean();
    progressExchange.notifyOnceCommitted(
        replica,
        epoch,
        entry.index(),
        isCommitted -> {
          committed.set(isCommitted);
          signal.raise();
        });
    signal.await(environment.clock(), MAX_COMMIT_WAIT_NANOS);
    return committed.get();
  }
}
