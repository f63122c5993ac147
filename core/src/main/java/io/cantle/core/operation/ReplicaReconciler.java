package io.cantle.core.operation;

import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.LosingReplica;
import io.cantle.core.replica.MergeBacklog;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ReplicaProgress;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.PartitionHandling;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has merged what this node held when its side of a partition ended: entry by entry, through the
 * ordinary way of writes, at most {@value #MAX_PARALLEL_MERGES} at a time. Of the owners that held
 * the same the first that is there does it; the others keep theirs until they hear that it is done.
 *
 * <p><b>Threading:</b> any thread; the work is done on virtual threads.
 */
public final class ReplicaReconciler {
  private static final int MAX_PARALLEL_MERGES = 16;
  private static final long RETRY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long ANSWER_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an owner that is in sight may take to join those that go on. */
  private static final long REJOIN_GRACE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final int LOG_EVERY_ENTRIES = 10_000;
  private static final System.Logger LOG = System.getLogger(ReplicaReconciler.class.getName());

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;
  private final MergeBacklog mergeBacklog;
  private final ReentrantLock lock = new ReentrantLock();
  private final IdentityHashMap<LosingReplica, MergeProgress> progress = new IdentityHashMap<>();
  private final Map<UUID, MergeTally> tallies = new HashMap<>();
  private volatile @Nullable OperationClient client;
  private volatile boolean closed;
  private int runningWorkers;

  /** How many entries of a copy a grid has been told, and since when there is something to tell. */
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
    ConflictMerge.LossCount lost = ConflictMerge.LossCount.NONE;
  }

  /** Merges of these copies. */
  public ReplicaReconciler(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      MergeBacklog mergeBacklog) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.environment = environment;
    this.mergeBacklog = mergeBacklog;
    topologyDriver.setStayCondition(() -> !mergeBacklog.isEmpty());
  }

  /** This node can write. */
  public void start(OperationClient currentClient) {
    client = currentClient;
    scheduleMerges();
  }

  /** Another topology was adopted: there may be something to merge, or somewhere to merge it. */
  public void scheduleMerges() {
    if (mergeBacklog.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      while (client != null && !closed && runningWorkers < MAX_PARALLEL_MERGES) {
        runningWorkers++;
        environment.threads().execute(this::mergeAll);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Merges nothing more. */
  public void close() {
    closed = true;
  }

  private void mergeAll() {
    while (true) {
      LosingReplica losingReplica = closed ? null : mergeBacklog.poll();
      if (losingReplica == null) {
        lock.lock();
        try {
          runningWorkers--;
        } finally {
          lock.unlock();
        }
        return;
      }
      boolean done = false;
      try {
        done = mergeReplica(losingReplica);
      } catch (GridException e) {
        // Nothing was lost; whether it was done does not matter, since it can be done twice.
        LOG.log(System.Logger.Level.DEBUG, "a merge goes on later: {0}", e.getMessage());
      } catch (RuntimeException e) {
        // Whatever it is, what was written apart stays here until it is merged.
        logFailureOnce(losingReplica, e);
      }
      if (done) {
        finishReplica(losingReplica);
      } else {
        mergeBacklog.putBack(losingReplica);
        environment.clock().sleepNanos(this, RETRY_PAUSE_NANOS);
      }
    }
  }

  private void logFailureOnce(LosingReplica losingReplica, RuntimeException failure) {
    MergeProgress state = progressOf(losingReplica);
    if (!state.failed) {
      state.failed = true;
      LOG.log(
          System.Logger.Level.ERROR,
          "what was written apart in segment "
              + losingReplica.segment()
              + " of "
              + losingReplica.cache()
              + " cannot be merged yet; it is tried again until this node is closed",
          failure);
    }
  }

  private void finishReplica(LosingReplica losingReplica) {
    boolean isLast = mergeBacklog.markMerged(losingReplica);
    MergeTally tally;
    lock.lock();
    try {
      progress.remove(losingReplica);
      tally = isLast ? tallies.remove(losingReplica.gridId()) : null;
    } finally {
      lock.unlock();
    }
    if (tally != null) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} has merged {1} entries written apart: {2} values of one side were overwritten, {3}"
              + " were removed, {4} removed ones are back",
          messaging.self(),
          tally.entries,
          tally.lost.overwritten(),
          tally.lost.removed(),
          tally.lost.broughtBack());
    }
    if (mergeBacklog.isEmpty()) {
      messaging.wakeAll();
    }
  }

  /** Whether nothing of a copy is left to be merged. */
  private boolean mergeReplica(LosingReplica losingReplica) {
    OperationClient currentClient = client;
    Topology topology = topologyDriver.current();
    if (currentClient == null || !topology.members().contains(messaging.self())) {
      return false;
    }
    MergeProgress state = progressOf(losingReplica);
    switch (responsibilityFor(losingReplica, topology, state)) {
      case WAIT -> {
        return false;
      }
      case DONE -> {
        return true;
      }
      case MINE -> {}
    }
    MergeTarget target =
        MergeTarget.awaitCache(
            CacheResolver.ofAnyConfiguration(
                topologyDriver, environment.clock(), losingReplica.cache()),
            currentClient.deadlineFromNow());
    List<Integer> birthEpochs = target.birthEpochs(losingReplica);
    LosingReplica.MergeScope part = losingReplica.mergeScope(target.topology(), target.cache());
    if (!state.grid.equals(target.topology().gridId()) || !state.birthEpochs.equals(birthEpochs)) {
      state.grid = target.topology().gridId();
      state.birthEpochs = birthEpochs;
      state.nextEntry = 0;
    }
    for (; part != null && state.nextEntry < losingReplica.entries().size(); state.nextEntry++) {
      Entry entry = losingReplica.entries().get(state.nextEntry);
      if (part.contains(entry) && !mergeEntry(currentClient, target, part, entry, losingReplica)) {
        return false;
      }
    }
    return target.isServed(currentClient, losingReplica);
  }

  /** Of one worker at a time: who has taken the copy. */
  private MergeProgress progressOf(LosingReplica losingReplica) {
    lock.lock();
    try {
      return progress.computeIfAbsent(
          losingReplica, first -> new MergeProgress(environment.clock().nanoTime()));
    } finally {
      lock.unlock();
    }
  }

  private enum Responsibility {
    /** This node has it merged. */
    MINE,
    /** Another one will, or has yet to come. */
    WAIT,
    /** Another one has. */
    DONE
  }

  /**
   * Whether it is for this node to have a copy merged: no owner before it that holds as much is
   * there, or on its way, and none has done it.
   */
  private Responsibility responsibilityFor(
      LosingReplica losingReplica, Topology topology, MergeProgress state) {
    boolean inGracePeriod = environment.clock().nanoTime() - state.sinceNanos < REJOIN_GRACE_NANOS;
    boolean isBefore = true;
    for (Member owner : losingReplica.owners()) {
      if (owner.equals(messaging.self())) {
        isBefore = false;
      } else if (topology.members().contains(owner)) {
        MergeBacklog.MergeStatus fate = askFate(owner, losingReplica);
        if (fate == MergeBacklog.MergeStatus.MERGED) {
          return Responsibility.DONE;
        }
        if (fate == MergeBacklog.MergeStatus.UNMERGED && isBefore) {
          return Responsibility.WAIT;
        }
      } else if (isBefore && inGracePeriod && messaging.isPresent(owner)) {
        return Responsibility.WAIT;
      }
    }
    return Responsibility.MINE;
  }

  /** What another owner knows about the same copy; open if it does not answer. */
  private MergeBacklog.MergeStatus askFate(Member owner, LosingReplica losingReplica) {
    Input answer =
        messaging.call(
            owner,
            MessageKind.MERGED_REQUEST,
            out -> {
              out.writeId(losingReplica.gridId());
              out.writeString(losingReplica.cache().name());
              out.writeVarint(losingReplica.segment());
              losingReplica.progress().write(out);
            },
            environment.clock().nanoTime() + ANSWER_TIMEOUT_NANOS);
    return answer == null
        ? MergeBacklog.MergeStatus.UNMERGED
        : MergeBacklog.MergeStatus.fromCode(answer.readByte());
  }

  /** Another owner asks. */
  public void onMergedRequest(Member from, long request, Input in) {
    UUID grid = in.readId();
    MergeBacklog.MergeStatus fate =
        mergeBacklog.mergeStatus(
            grid, in.readString(), in.readCount(Integer.MAX_VALUE), ReplicaProgress.read(in));
    Output out = messaging.newResponse(request, 1);
    out.writeByte(fate.code());
    messaging.post(from, out);
  }

  private boolean mergeEntry(
      OperationClient currentClient,
      MergeTarget target,
      LosingReplica.MergeScope part,
      Entry entry,
      LosingReplica losingReplica) {
    UUID from = losingReplica.gridId();
    long now = losingReplica.segmentTime().millisAt(environment.clock().nanoTime());
    OperationResult result;
    try {
      result =
          target.mergeEntry(
              currentClient,
              target.topology().gridDefinition().partitionHandling(),
              part,
              entry,
              now);
    } catch (FunctionException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the function that decides what two sides have written failed; the later write stays: {0}",
          e.getMessage());
      result = target.mergeEntry(currentClient, PartitionHandling.NEWER, part, entry, now);
    }
    if (!result.hasValue()) {
      return false;
    }
    lock.lock();
    try {
      MergeTally tally = tallies.computeIfAbsent(from, grid -> new MergeTally());
      tally.lost = tally.lost.plus(ConflictMerge.LossCount.of(result));
      if (++tally.entries % LOG_EVERY_ENTRIES == 0) {
        LOG.log(System.Logger.Level.DEBUG, "merged {0} entries of {1}", tally.entries, from);
      }
    } finally {
      lock.unlock();
    }
    return true;
  }
}
