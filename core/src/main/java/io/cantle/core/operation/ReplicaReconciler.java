package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.DecodingException;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Environment;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.CallPace;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.partition.MergeBacklog;
import io.cantle.core.partition.ReplicaProgress;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.CallMessage.MergeStatusRequest;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Merges losing replicas of this node into the grid that continues. It writes entry by entry, as
 * ordinary operations, with at most {@value #MAX_PARALLEL_MERGES} replicas at a time. Of the owners
 * that held the same replica, the first that is present merges it; the others keep theirs until
 * they learn that it is done.
 *
 * <p><b>Threading:</b> any thread; merges run on virtual threads.
 */
public final class ReplicaReconciler {
  private static final int MAX_PARALLEL_MERGES = 16;

  /** How long to wait for an owner that is visible but has not joined the grid that continues. */
  private static final long REJOIN_GRACE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final int LOG_EVERY_ENTRIES = 10_000;
  private static final System.Logger LOG = System.getLogger(ReplicaReconciler.class.getName());

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;
  private final MergeBacklog mergeBacklog;
  private final ConflictResolver conflictResolver;

  @GuardedBy("this")
  private final IdentityHashMap<LosingReplica, MergeProgress> progress = new IdentityHashMap<>();

  @GuardedBy("this")
  private final Map<UUID, MergeTally> tallies = new HashMap<>();

  private volatile @Nullable OperationClient client;
  private volatile boolean closed;

  @GuardedBy("this")
  private int runningWorkers;

  /**
   * How many entries of a replica a grid has received, and when this node first tried to merge it.
   */
  private static final class MergeProgress {
    final long sinceNanos;
    UUID grid = Topology.NONE.gridId();
    List<Integer> birthEpochs = List.of();
    int nextEntry;
    boolean failed;

    MergeProgress(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }
  }

  private static final class MergeTally {
    long entries;
    long destroyed;
    ConflictMerge.LossCount lost = ConflictMerge.LossCount.NONE;
  }

  /** Creates a reconciler for the losing replicas of this node. */
  public ReplicaReconciler(ReplicaContext context, ConflictResolver conflictResolver) {
    this.conflictResolver = conflictResolver;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.environment = context.environment();
    this.mergeBacklog = context.replicas().losingReplicas().backlog();
    topologyDriver.setStayCondition(() -> !mergeBacklog.isEmpty());
  }

  /** Starts merging, now that this node can write. */
  public void start(OperationClient currentClient) {
    client = currentClient;
    scheduleMerges();
  }

  /**
   * Starts workers after a topology was adopted: there may be a replica to merge, or a grid to
   * merge it into.
   */
  public void scheduleMerges() {
    if (mergeBacklog.isEmpty()) {
      return;
    }
    synchronized (this) {
      while (client != null && !closed && runningWorkers < MAX_PARALLEL_MERGES) {
        runningWorkers++;
        environment.threads().execute(this::mergeAll);
      }
    }
  }

  /** Stops merging. */
  public void close() {
    closed = true;
  }

  private void mergeAll() {
    while (true) {
      LosingReplica losingReplica = closed ? null : mergeBacklog.poll();
      if (losingReplica == null) {
        synchronized (this) {
          runningWorkers--;
        }
        return;
      }
      Topology mergedIn = null;
      try {
        mergedIn = mergeReplica(losingReplica);
      } catch (GridException e) {
        // Nothing is lost. An entry that was merged already can be merged again.
        LOG.log(
            System.Logger.Level.DEBUG,
            "a merge is interrupted and will be retried: {0}",
            e.getMessage());
      } catch (RuntimeException e) {
        // Whatever failed, the replica stays here until it is merged.
        logFailureOnce(losingReplica, e);
      }
      if (mergedIn != null) {
        finishReplica(losingReplica, mergedIn);
      } else {
        mergeBacklog.putBack(losingReplica);
        environment.clock().sleepNanos(this, CallPace.MERGE.pauseNanos());
      }
    }
  }

  private void logFailureOnce(LosingReplica losingReplica, RuntimeException failure) {
    MergeProgress state = progressOf(losingReplica);
    if (!state.failed) {
      state.failed = true;
      LOG.log(
          System.Logger.Level.ERROR,
          "entries written during a partition in segment "
              + losingReplica.segment()
              + " of "
              + losingReplica.cache()
              + " cannot be merged yet; the merge is retried until this node is closed",
          failure);
    }
  }

  private void finishReplica(LosingReplica losingReplica, Topology mergedIn) {
    boolean isLast = mergeBacklog.markMerged(losingReplica, mergedIn);
    MergeTally tally;
    synchronized (this) {
      progress.remove(losingReplica);
      tally = isLast ? tallies.remove(losingReplica.gridId()) : null;
    }
    if (tally != null) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} has merged {1} entries written during a partition: {2} values of one side were"
              + " overwritten, {3} values were removed, {4} removed keys have a value again",
          messaging.self(),
          tally.entries,
          tally.lost.overwritten(),
          tally.lost.removed(),
          tally.lost.broughtBack());
      if (tally.destroyed > 0) {
        LOG.log(
            System.Logger.Level.WARNING,
            "{0} has dropped {1} values that were written during a partition, of caches that the"
                + " other side had destroyed",
            messaging.self(),
            tally.destroyed);
      }
    }
    if (mergeBacklog.isEmpty()) {
      messaging.wakeAll();
    }
  }

  /** Merges a replica. Returns the topology in which that was done, or null if it is not yet. */
  private @Nullable Topology mergeReplica(LosingReplica losingReplica) {
    OperationClient currentClient = client;
    Topology topology = topologyDriver.current();
    if (currentClient == null || !topology.members().contains(messaging.self())) {
      return null;
    }
    if (losingReplica.identity().fateIn(topology) == CacheFate.DESTROYED) {
      return dropReplica(losingReplica, topology);
    }
    CacheResolver cacheResolver =
        CacheResolver.ofAnyConfiguration(
            topologyDriver, environment.clock(), losingReplica.cache());
    // It means the cache of this topology from here on. That one may be destroyed meanwhile, and
    // its name be given to another, which must get nothing of this replica.
    var _ = cacheResolver.find(topology);
    MergeProgress state = progressOf(losingReplica);
    MergeBacklog.MergeStatus elsewhere = statusElsewhere(losingReplica, topology, state);
    if (elsewhere == MergeBacklog.MergeStatus.UNMERGED) {
      return null;
    }
    MergeTarget target = MergeTarget.awaitCache(currentClient, cacheResolver);
    if (elsewhere == MergeBacklog.MergeStatus.MERGED) {
      // Those who have received it may have died since, and this node may hold the last copy.
      boolean isSameTarget =
          MergeBacklog.receivingBirthEpochs(target.topology(), losingReplica)
              .equals(MergeBacklog.receivingBirthEpochs(topology, losingReplica));
      return isSameTarget && target.isServed(losingReplica) ? target.topology() : null;
    }
    List<Integer> birthEpochs = target.birthEpochs(losingReplica);
    UUID leftEarlier = losingReplica.gridLeftEarlierBy(target.topology(), target.cache());
    LosingReplica.MergeScope scope =
        leftEarlier == null
            ? losingReplica.mergeScope(target.topology(), target.cache())
            : target.askScope(losingReplica, leftEarlier);
    if (leftEarlier != null && scope == null) {
      return null;
    }
    if (!state.grid.equals(target.topology().gridId()) || !state.birthEpochs.equals(birthEpochs)) {
      state.grid = target.topology().gridId();
      state.birthEpochs = birthEpochs;
      state.nextEntry = 0;
    }
    for (; scope != null && state.nextEntry < losingReplica.entries().size(); state.nextEntry++) {
      Entry entry = losingReplica.entries().get(state.nextEntry);
      if (scope.contains(entry) && !mergeEntry(target, scope, entry, losingReplica)) {
        return null;
      }
    }
    return target.isServed(losingReplica) ? target.topology() : null;
  }

  /**
   * Drops a replica of a cache that was destroyed: the grid that goes on decides which caches there
   * are. The owner that would merge it counts what is lost. Returns the topology in which that was
   * done, or null if it is not yet.
   */
  private @Nullable Topology dropReplica(LosingReplica losingReplica, Topology topology) {
    return switch (statusElsewhere(losingReplica, topology, progressOf(losingReplica))) {
      case UNMERGED -> null;
      case MERGED -> topology;
      case UNKNOWN -> {
        int lost = losingReplica.valuesLackedBy(topology);
        conflictResolver.countDestroyed(lost);
        synchronized (this) {
          tallies.computeIfAbsent(losingReplica.gridId(), grid -> new MergeTally()).destroyed +=
              lost;
        }
        yield topology;
      }
    };
  }

  /** The progress of a replica. Only the worker that has taken the replica uses it. */
  private synchronized MergeProgress progressOf(LosingReplica losingReplica) {
    return progress.computeIfAbsent(
        losingReplica, first -> new MergeProgress(environment.clock().nanoTime()));
  }

  /**
   * What others do about a replica. This node merges it if that is unknown: no owner listed before
   * it that holds as much is present or about to join, and none has merged it.
   */
  private MergeBacklog.MergeStatus statusElsewhere(
      LosingReplica losingReplica, Topology topology, MergeProgress state) {
    boolean inGracePeriod = environment.clock().nanoTime() - state.sinceNanos < REJOIN_GRACE_NANOS;
    boolean isBefore = true;
    for (Member owner : losingReplica.owners()) {
      if (owner.equals(messaging.self())) {
        isBefore = false;
      } else if (topology.members().contains(owner)) {
        MergeBacklog.MergeStatus status = requestMergeStatus(owner, losingReplica, topology);
        if (status == MergeBacklog.MergeStatus.MERGED
            || (status == MergeBacklog.MergeStatus.UNMERGED && isBefore)) {
          return status;
        }
      } else if (isBefore && inGracePeriod && messaging.isPresent(owner)) {
        return MergeBacklog.MergeStatus.UNMERGED;
      }
    }
    return MergeBacklog.MergeStatus.UNKNOWN;
  }

  /** What another owner knows about the same replica; unmerged if it does not answer. */
  private MergeBacklog.MergeStatus requestMergeStatus(
      Member owner, LosingReplica losingReplica, Topology topology) {
    MergeStatusReply reply =
        messaging.call(
            owner,
            new MergeStatusRequest(
                losingReplica.gridId(),
                losingReplica.identity().index(),
                losingReplica.segment(),
                losingReplica.progress().birthEpoch(),
                losingReplica.progress().enteredEpoch(),
                losingReplica.progress().isWhole(),
                MergeBacklog.receivingBirthEpochs(topology, losingReplica)),
            environment.clock().nanoTime() + CallPace.MERGE.answerNanos(),
            () -> false,
            MergeStatusReply::read);
    return reply == null ? MergeBacklog.MergeStatus.UNMERGED : reply.status();
  }

  /** Answers another owner that asks for the status of a replica. */
  public void onMergedRequest(Member from, long request, MergeStatusRequest statusRequest) {
    MergeBacklog.MergeStatus status =
        mergeBacklog.mergeStatus(
            statusRequest.gridId(),
            statusRequest.cache(),
            statusRequest.segment(),
            new ReplicaProgress(
                statusRequest.birthEpoch(), statusRequest.enteredEpoch(), statusRequest.isWhole()),
            statusRequest.receivingBirthEpochs());
    messaging.respond(from, request, new MergeStatusReply(status));
  }

  private boolean mergeEntry(
      MergeTarget target,
      LosingReplica.MergeScope scope,
      Entry entry,
      LosingReplica losingReplica) {
    UUID from = losingReplica.gridId();
    long now = losingReplica.segmentTime().millisAt(environment.clock().nanoTime());
    PartitionHandling mode =
        scope.isByStampOnly()
            ? PartitionHandling.NEWER
            : target.topology().gridDefinition().partitionHandling();
    OperationResult result;
    try {
      result = target.mergeEntry(mode, scope, entry, now);
    } catch (FunctionException | DecodingException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the merge function for keys written on both sides failed, so the later write stays: {0}",
          e.getMessage());
      result = target.mergeEntry(PartitionHandling.NEWER, scope, entry, now);
    }
    if (!result.hasValue()) {
      return false;
    }
    synchronized (this) {
      MergeTally tally = tallies.computeIfAbsent(from, grid -> new MergeTally());
      tally.lost = tally.lost.plus(ConflictMerge.LossCount.of(result));
      if (++tally.entries % LOG_EVERY_ENTRIES == 0) {
        LOG.log(System.Logger.Level.DEBUG, "merged {0} entries of {1}", tally.entries, from);
      }
    }
    return true;
  }
}
