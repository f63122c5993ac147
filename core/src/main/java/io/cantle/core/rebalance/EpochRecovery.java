package io.cantle.core.rebalance;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.DurabilityBarrier;
import io.cantle.core.replica.EffectQueue;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaLogSummary;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.RebalanceMessage.CatchUpNotice;
import io.cantle.core.wire.RebalanceMessage.EnteredSegment;
import io.cantle.core.wire.RebalanceMessage.EpochEntryRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Recovers a segment in a new epoch, as its new primary. It asks all writers and retiring owners to
 * enter the epoch and to report what they hold of the last one ({@code ENTER_EPOCH}, {@code
 * EPOCH_ENTERED}). It takes over the longest log and sends the others what they lack of it ({@code
 * CATCH_UP}, {@code CAUGHT_UP}). Then it serves the epoch. Many segments share a message.
 *
 * <p>If owners were excluded, it does not serve before a topology confirms that the epoch is
 * recovered. Until then the excluded owners hold every acknowledged write, and are needed should
 * this node die.
 *
 * <p><b>Threading:</b> any thread; nothing waits. The monitor is taken before that of a replica.
 */
public final class EpochRecovery {
  private static final long RETRY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The most bytes read from disk for one message: all of them are in memory together. */
  private static final long MAX_REPLY_DISK_BYTES = 1 << 20;

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaContext context;
  private final RecoveryReadTracker readTracker;
  private final CopyExchange copyExchange;

  @GuardedBy("this")
  private final Map<Replica, SegmentRecovery> recoveries = new LinkedHashMap<>();

  /** What follows from the steps of recoveries. */
  private final EffectQueue<Runnable> effects = new EffectQueue<>(Runnable::run);

  @GuardedBy("this")
  private boolean retryScheduled;

  private static final class SegmentRecovery {
    final Replica replica;
    final int epoch;
    final List<Member> writers;
    final Set<Member> waitingFor;

    /** Whose copies a new primary of a scattered segment collects. */
    final Set<Member> sources;

    final Map<Member, ReplicaLogSummary> logs = new TreeMap<>();
    boolean logTakenOver;
    boolean complete;
    List<ReplicaLogSummary.MissingWrites> missing = List.of();

    SegmentRecovery(ReplicaTable.ReplicaChange change, Topology topology, Member self) {
      SegmentOwnership ownership = change.ownership();
      replica = change.replica();
      epoch = ownership.epoch();
      writers = ownership.writers();
      waitingFor = new TreeSet<>(writers);
      waitingFor.addAll(ownership.retiring());
      Set<Member> copyHolders = new TreeSet<>();
      if (!ownership.holders().isEmpty()) {
        ownership.holders().forEach(holder -> copyHolders.add(holder.member()));
        copyHolders.addAll(ownership.lastOwners());
        copyHolders.retainAll(topology.members());
        copyHolders.remove(self);
        waitingFor.addAll(copyHolders);
      }
      sources = ownership.isUnconfirmed() ? copyHolders : Set.of();
      waitingFor.remove(self);
    }
  }

  /** Creates the recovery of these replicas. */
  public EpochRecovery(ReplicaContext context, CopyExchange copyExchange) {
    this.context = context;
    this.copyExchange = copyExchange;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.readTracker = new RecoveryReadTracker(context.environment().clock());
  }

  /** Starts to recover the epochs of which this node is the primary. */
  public void onEpochsEntered(Topology topology, List<ReplicaTable.ReplicaChange> changed) {
    TreeMap<Member, List<SegmentRecovery>> requests = new TreeMap<>();
    synchronized (this) {
      for (ReplicaTable.ReplicaChange change : changed) {
        recoveries.remove(change.replica());
        if (change.replica().state().role() == ReplicaRole.PRIMARY) {
          SegmentRecovery recovery = new SegmentRecovery(change, topology, messaging.self());
          recoveries.put(recovery.replica, recovery);
          for (Member member : recovery.waitingFor) {
            requests.computeIfAbsent(member, m -> new ArrayList<>()).add(recovery);
          }
          advance(recovery);
        }
      }
      onTopologyChange(topology);
      retrySoon();
    }
    effects.perform();
    requests.forEach((member, list) -> sendEnter(topology.number(), member, list));
  }

  private void sendEnter(long topologyNumber, Member member, List<SegmentRecovery> list) {
    List<EnteredSegment> segments = new ArrayList<>(list.size());
    for (SegmentRecovery recovery : list) {
      ReplicaLogSummary ownLog = recovery.replica.summarizeLog(Integer.MAX_VALUE, 0);
      segments.add(
          new EnteredSegment(
              recovery.replica.segmentEpoch(recovery.epoch), ownLog.epoch(), ownLog.applied()));
    }
    messaging.postAsync(member, new EpochEntryRequest(topologyNumber, segments));
  }

  /** Handles a new primary's request; it is answered once this node has entered the epochs too. */
  public void onEnter(Member from, EpochEntryRequest request) {
    topologyDriver.runOnceAdopted(request.topologyNumber(), () -> enter(from, request.segments()));
  }

  /**
   * Answers once the writes are as durable here as their caches require. A write that is reported
   * here and that was made before the primary died must still exist after a power failure of all
   * nodes.
   */
  private void enter(Member from, List<EnteredSegment> segments) {
    List<LogRequest> all = new ArrayList<>();
    for (EnteredSegment one : segments) {
      Replica replica = find(one.segment());
      if (replica != null) {
        all.add(new LogRequest(replica, one));
      }
    }
    DurabilityBarrier.whenAllHeld(
        all.stream().map(LogRequest::replica).toList(), () -> answerEnter(from, all));
  }

  /** A request for the log of a replica. */
  private record LogRequest(Replica replica, EnteredSegment entered) {
    int epoch() {
      return entered.segment().epoch();
    }
  }

  private void answerEnter(Member from, List<LogRequest> all) {
    List<LogReply> batch = new ArrayList<>();
    long bytes = 0;
    for (LogRequest request : all) {
      if (readTracker.tryBegin(from, request.replica, request.epoch())) {
        LogReply reply = new LogReply(request);
        batch.add(reply);
        bytes += RecoveryReadTracker.bytesOnDisk(reply.summary.writes());
      }
      if (bytes >= MAX_REPLY_DISK_BYTES) {
        readAndSendLogs(from, batch);
        batch = new ArrayList<>();
        bytes = 0;
      }
    }
    // If everything is being read already, an empty answer says that this node is alive.
    readAndSendLogs(from, batch);
  }

  private void readAndSendLogs(Member from, List<LogReply> replies) {
    AtomicInteger open = new AtomicInteger(replies.size() + 1);
    Runnable countDown =
        () -> {
          if (open.decrementAndGet() == 0) {
            replies.forEach(one -> readTracker.end(from, one.request.replica, one.request.epoch()));
            sendEntered(from, replies);
          }
        };
    for (LogReply reply : replies) {
      // Retained versions of earlier writes may be on disk only.
      reply
          .request
          .replica
          .valueResidency()
          .readWrites(
              reply.summary.writes(),
              items -> {
                reply.writes = items;
                countDown.run();
              });
    }
    countDown.run();
  }

  /** The summary of a log, and what is sent of it. */
  private static final class LogReply {
    private final LogRequest request;
    private final ReplicaLogSummary summary;

    /** The writes of the log with their values; null if some of them do not exist any more. */
    private volatile @Nullable List<OrderedWrite> writes;

    LogReply(LogRequest request) {
      this.request = request;
      this.summary =
          request.replica.summarizeLog(request.entered.knownEpoch(), request.entered.knownIndex());
    }
  }

  private void sendEntered(Member from, List<LogReply> all) {
    List<EpochEntryReport.SegmentLog> logs = new ArrayList<>(all.size());
    for (LogReply reply : all) {
      Replica replica = reply.request.replica;
      int epoch = reply.request.epoch();
      List<OrderedWrite> items = reply.writes;
      if (items == null || replica.state().epoch() != epoch || replica.hasDroppedOwnedCopy(epoch)) {
        // The log may be of a later epoch by now, in which that primary has nothing to recover. If
        // this node has dropped its replica, it does not answer before the voters know that.
        continue;
      }
      logs.add(
          new EpochEntryReport.SegmentLog(
              replica.segmentEpoch(epoch), reply.summary.withWrites(items)));
    }
    messaging.post(from, new EpochEntryReport(logs));
  }

  /** Handles the answer of a writer or retiring owner that has entered the epoch. */
  public void onEntered(Member from, Input in) {
    topologyDriver.recordAnswer(from);
    EpochEntryReport report = EpochEntryReport.read(in, topologyDriver.current().hashSeed());
    // A report that names an unknown segment is refused before any of it counts.
    List<@Nullable Replica> replicas = new ArrayList<>();
    report.logs().forEach(log -> replicas.add(find(log.segment())));
    synchronized (this) {
      for (int i = 0; i < replicas.size(); i++) {
        EpochEntryReport.SegmentLog received = report.logs().get(i);
        SegmentRecovery recovery = recoveries.get(replicas.get(i));
        // A second answer to a repeated request must not count as CAUGHT_UP.
        if (recovery != null
            && recovery.epoch == received.segment().epoch()
            && !recovery.logTakenOver
            && recovery.waitingFor.remove(from)) {
          if (recovery.writers.contains(from)) {
            recovery.logs.put(from, received.log());
          }
          advance(recovery);
        }
      }
    }
    effects.perform();
  }

  @GuardedBy("this")
  private void advance(SegmentRecovery recovery) {
    if (!recovery.waitingFor.isEmpty()) {
      return;
    }
    if (!recovery.logTakenOver) {
      recovery.logTakenOver = true;
      if (recovery.replica.state().isScattered()) {
        Member self = messaging.self();
        recovery.waitingFor.add(self);
        effects.add(
            () ->
                copyExchange.begin(
                    recovery.replica,
                    recovery.epoch,
                    recovery.sources,
                    () -> onWritesHeld(recovery.replica, recovery.epoch, self)));
        return;
      }
      recovery.missing = recovery.replica.takeOverLog(recovery.epoch, recovery.logs);
      for (ReplicaLogSummary.MissingWrites missing : recovery.missing) {
        recovery.waitingFor.add(missing.member());
        effects.add(() -> sendMissingWrites(recovery, missing));
      }
      awaitOwnDisk(recovery);
      if (!recovery.waitingFor.isEmpty()) {
        return;
      }
    }
    recovery.complete = true;
    if (isUnconfirmed(recovery)) {
      effects.add(() -> reportRecovered(recovery));
      return;
    }
    recoveries.remove(recovery.replica);
    if (recovery.replica.serveEpoch(recovery.epoch)) {
      effects.add(recovery.replica::performEffects);
      context.progressExchange().notifySoon();
    }
  }

  /** Waits until the writes taken over are on this node's disk, as they must be at the others. */
  private void awaitOwnDisk(SegmentRecovery recovery) {
    if (!recovery.replica.barrier().isSynchronous()) {
      return;
    }
    Member self = messaging.self();
    recovery.waitingFor.add(self);
    recovery
        .replica
        .barrier()
        .runOnceHeld(() -> onWritesHeld(recovery.replica, recovery.epoch, self));
  }

  /** Asks the voters to confirm a recovered epoch, unless that or the grid has ended meanwhile. */
  private void reportRecovered(SegmentRecovery recovery) {
    if (isCurrent(recovery)) {
      topologyDriver.reportOpened(
          recovery.replica.cache(), recovery.replica.segment(), recovery.epoch);
    }
  }

  private synchronized boolean isCurrent(SegmentRecovery recovery) {
    return recoveries.get(recovery.replica) == recovery;
  }

  private boolean isUnconfirmed(SegmentRecovery recovery) {
    SegmentOwnership ownership =
        topologyDriver
            .current()
            .findOwnership(recovery.replica.cache(), recovery.replica.segment());
    return ownership != null && ownership.epoch() == recovery.epoch && ownership.isUnconfirmed();
  }

  /** Sends what a member lacks, unless the same is being read for it already. */
  private void sendMissingWrites(
      SegmentRecovery recovery, ReplicaLogSummary.MissingWrites missing) {
    Replica replica = recovery.replica;
    if (!readTracker.tryBegin(missing.member(), replica, recovery.epoch)) {
      return;
    }
    replica
        .valueResidency()
        .readWrites(
            missing.writes(),
            items -> {
              readTracker.end(missing.member(), replica, recovery.epoch);
              if (items != null) {
                messaging.postAsync(
                    missing.member(),
                    new CatchUpBatch(replica.segmentEpoch(recovery.epoch), missing.epoch(), items));
              }
            });
  }

  /** Repeats unanswered requests, since a message may have been lost. */
  @GuardedBy("this")
  private void retrySoon() {
    if (!retryScheduled && !recoveries.isEmpty()) {
      retryScheduled = true;
      context.environment().clock().schedule(RETRY_DELAY_NANOS, this::retry);
    }
  }

  private void retry() {
    TreeMap<Member, List<SegmentRecovery>> requests = new TreeMap<>();
    TreeSet<Member> unresponsive = new TreeSet<>();
    synchronized (this) {
      retryScheduled = false;
      for (SegmentRecovery recovery : recoveries.values()) {
        if (recovery.complete) {
          effects.add(() -> reportRecovered(recovery));
        } else if (recovery.logTakenOver) {
          for (ReplicaLogSummary.MissingWrites missing : recovery.missing) {
            if (recovery.waitingFor.contains(missing.member())
                && !readTracker.isReading(missing.member(), recovery.replica, recovery.epoch)) {
              effects.add(() -> sendMissingWrites(recovery, missing));
              unresponsive.add(missing.member());
            }
          }
        } else {
          unresponsive.addAll(recovery.waitingFor);
          for (Member member : recovery.waitingFor) {
            requests.computeIfAbsent(member, m -> new ArrayList<>()).add(recovery);
          }
        }
      }
      retrySoon();
    }
    // Never with the monitor held, because adopting a topology calls back into this class.
    unresponsive.remove(messaging.self());
    unresponsive.forEach(topologyDriver::recordUnanswered);
    effects.perform();
    requests.forEach((member, list) -> sendEnter(topologyDriver.current().number(), member, list));
  }

  /** Applies the writes that this node lacks, from the new primary. */
  public void onCatchUp(Member from, Input in) {
    CatchUpBatch batch = CatchUpBatch.read(in, topologyDriver.current().hashSeed());
    Replica replica = find(batch.segment());
    if (replica != null
        && replica.fillLog(batch.segment().epoch(), batch.writesEpoch(), batch.writes())) {
      replica.performEffects();
      replica
          .barrier()
          .runOnceHeld(
              () -> {
                messaging.post(from, new CatchUpNotice(batch.segment()));
              });
    }
  }

  /** Handles a member's notice that it holds what it lacked. */
  public void onCaughtUp(Member from, CatchUpNotice notice) {
    topologyDriver.recordAnswer(from);
    Replica replica = find(notice.segment());
    if (replica != null) {
      onWritesHeld(replica, notice.segment().epoch(), from);
    }
  }

  private void onWritesHeld(Replica replica, int epoch, Member from) {
    synchronized (this) {
      SegmentRecovery recovery = recoveries.get(replica);
      if (recovery != null && recovery.epoch == epoch && recovery.waitingFor.remove(from)) {
        advance(recovery);
      }
    }
    effects.perform();
  }

  /**
   * Stops waiting for nodes that are not members any more and hold no lease. Serves epochs that are
   * confirmed by now.
   */
  @GuardedBy("this")
  private void onTopologyChange(Topology topology) {
    recoveries
        .keySet()
        .removeIf(
            replica -> context.replicas().find(replica.cache(), replica.segment()) != replica);
    for (SegmentRecovery recovery : List.copyOf(recoveries.values())) {
      if (recovery.waitingFor.removeIf(member -> !topology.members().contains(member))
          || (recovery.complete && !isUnconfirmed(recovery))) {
        advance(recovery);
      }
    }
  }

  /** Forgets all recoveries, because this node joins another grid. */
  public synchronized void reset() {
    recoveries.clear();
  }

  /** The replica that a message names; null if its cache was destroyed. */
  private @Nullable Replica find(SegmentEpoch segment) {
    Replica replica = context.replicas().find(segment.cache(), segment.segment());
    if (replica == null && !topologyDriver.current().caches().isDestroyed(segment.cache())) {
      throw new MalformedException(
          "segment "
              + segment.segment()
              + " of cache number "
              + segment.cache()
              + " is unknown here");
    }
    return replica;
  }
}
