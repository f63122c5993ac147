package io.cantle.core.rebalance;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.rebalance.CopyMessage.AppliedUpdate;
import io.cantle.core.rebalance.CopyMessage.CollectReply;
import io.cantle.core.rebalance.CopyMessage.CollectRequest;
import io.cantle.core.rebalance.CopyMessage.SegmentUpdate;
import io.cantle.core.rebalance.CopyMessage.UpdateReply;
import io.cantle.core.rebalance.CopyMessage.UpdateRequest;
import io.cantle.core.replica.CopyUpdate;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Brings the second copies of scattered segments to where they belong, for the segments of which
 * this node is the primary.
 *
 * <p>A new primary <em>collects</em>: it asks every holder what it has of the segment, in pulls,
 * and the newest version of each key counts. Then it sends the entries that nobody else holds to
 * holders, and only then opens the epoch. Later it sends what the holders that are gone have held,
 * and tells holders which copies they need not keep ({@link CopyUpdate}).
 *
 * <p>Ticks do this work while there is some. Later a replica wakes the exchange when it has
 * something to tell a holder, and topologies do.
 *
 * <p><b>Threading:</b> any thread; nothing waits. The monitor is taken before that of a replica.
 */
public final class CopyExchange {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long RESEND_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The most segments that are collected at once. */
  private static final int MAX_COLLECTING = 16;

  /** The most bytes of entries in the answer to a pull, beyond the first entry. */
  private static final int MAX_REPLY_BYTES = 48 << 10;

  /** The most bytes in a message with several updates, beyond the first update. */
  private static final int MAX_UPDATE_BYTES = 64 << 10;

  private final ReplicaContext context;
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;

  @GuardedBy("this")
  private final Map<Replica, PrimaryExchange> exchanges = new LinkedHashMap<>();

  /** How many segments are being collected, as of the last tick and since. */
  @GuardedBy("this")
  private int collectingCount;

  /** Whether a tick is due. Replicas that hold their monitors set it, so it has no monitor. */
  private final AtomicBoolean isScheduled = new AtomicBoolean();

  /** The number of the tick that is due next. An earlier one that still comes does nothing. */
  private final AtomicLong tickNumber = new AtomicLong();

  /** What this node does as the primary of a segment in an epoch. */
  private static final class PrimaryExchange {
    final Replica replica;
    final int epoch;

    /** Where the next pull from each member begins that is not collected yet. */
    final Map<Member, SegmentCursor> cursors = new TreeMap<>();

    /** The members of which everything is collected. */
    final Set<Member> collectedFrom = new TreeSet<>();

    /** Whether pulls have begun. */
    boolean isCollecting;

    boolean isCollected;
    long askedNanos;
    boolean hasReported;
    long reportedNanos;

    /** Run once when the epoch may be opened; null afterwards. */
    @Nullable Runnable onReady;

    PrimaryExchange(Replica replica, int epoch, Set<Member> sources, Runnable onReady) {
      this.replica = replica;
      this.epoch = epoch;
      sources.forEach(source -> cursors.put(source, SegmentCursor.START));
      this.onReady = onReady;
    }

    SegmentEpoch segment() {
      return replica.segmentEpoch(epoch);
    }

    boolean isBeingCollected() {
      return isCollecting && !isCollected;
    }
  }

  /** Creates the exchange of these replicas. */
  public CopyExchange(ReplicaContext context) {
    this.context = context;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
  }

  // ------------------------------------------------------------------ the primary

  /**
   * Begins to exchange copies in an epoch that all members have entered.
   *
   * @param sources the members whose copies are collected first
   * @param onReady run once when the epoch may be opened
   */
  void begin(Replica replica, int epoch, Set<Member> sources, Runnable onReady) {
    synchronized (this) {
      exchanges.put(replica, new PrimaryExchange(replica, epoch, sources, onReady));
    }
    replica.copies().runWhenUpdatesDue(this::wake);
    scheduleTick(0);
  }

  /** Has what is due done soon, after other work that comes meanwhile. */
  private void wake() {
    scheduleTick(TICK_NANOS);
  }

  private void scheduleTick(long delayNanos) {
    if (isScheduled.compareAndSet(false, true)) {
      scheduleInstead(delayNanos);
    }
  }

  /** Schedules the next tick, instead of one that may be scheduled. */
  private void scheduleInstead(long delayNanos) {
    isScheduled.set(true);
    long number = tickNumber.incrementAndGet();
    context.environment().clock().schedule(delayNanos, () -> tick(number));
  }

  private void tick(long number) {
    if (number != tickNumber.get()) {
      return;
    }
    isScheduled.set(false);
    List<PrimaryExchange> all;
    synchronized (this) {
      exchanges.values().removeIf(one -> !isCurrent(one));
      all = List.copyOf(exchanges.values());
      collectingCount = (int) all.stream().filter(PrimaryExchange::isBeingCollected).count();
    }
    Map<Member, List<SegmentUpdate>> updates = new TreeMap<>();
    Set<Member> unanswered = new TreeSet<>();
    boolean isUnfinished = false;
    for (PrimaryExchange one : all) {
      collect(one, unanswered);
      List<Member> holders = one.replica.copies().holdersToUpdate();
      for (Member holder : holders) {
        addUpdate(one, holder, updates, unanswered);
      }
      isUnfinished |= !advance(one) || !holders.isEmpty();
    }
    unanswered.forEach(topologyDriver::recordUnanswered);
    updates.forEach(this::sendUpdates);
    if (isUnfinished) {
      wake();
    }
  }

  private boolean isCurrent(PrimaryExchange one) {
    return context.replicas().find(one.replica.cache(), one.replica.segment()) == one.replica
        && one.replica.state().epoch() == one.epoch
        && one.replica.state().role() == ReplicaRole.PRIMARY;
  }

  /** Asks all members that have not sent everything, from time to time. */
  private void collect(PrimaryExchange one, Set<Member> unanswered) {
    List<CollectRequest> requests = new ArrayList<>();
    List<Member> asked = new ArrayList<>();
    synchronized (this) {
      if (one.isCollected || !mayCollect(one)) {
        return;
      }
      if (one.cursors.isEmpty()) {
        if (holdsEverything(one)) {
          finishCollecting(one);
        }
        return;
      }
      long now = messaging.clock().nanoTime();
      if (one.isCollecting && now - one.askedNanos < RESEND_NANOS) {
        return;
      }
      if (one.isCollecting) {
        unanswered.addAll(one.cursors.keySet());
      } else {
        collectingCount++;
      }
      one.isCollecting = true;
      one.askedNanos = now;
      one.cursors.forEach(
          (member, cursor) -> {
            asked.add(member);
            requests.add(new CollectRequest(one.segment(), cursor));
          });
    }
    for (int i = 0; i < asked.size(); i++) {
      messaging.postAsync(asked.get(i), requests.get(i));
    }
  }

  @GuardedBy("this")
  private boolean mayCollect(PrimaryExchange one) {
    return one.isCollecting || one.cursors.isEmpty() || collectingCount < MAX_COLLECTING;
  }

  /**
   * Whether what is collected is everything: a former primary has sent all it has, or all holders
   * have. Some may have gone meanwhile, and the next topology says what becomes of the segment.
   */
  @GuardedBy("this")
  private boolean holdsEverything(PrimaryExchange one) {
    SegmentOwnership ownership = ownership(one);
    if (ownership == null) {
      return false;
    }
    Set<Member> sources = new TreeSet<>(one.collectedFrom);
    sources.add(messaging.self());
    return !ownership.isUnconfirmed()
        || ownership.lastOwners().stream().anyMatch(sources::contains)
        || sources.containsAll(ownership.partialHolders());
  }

  @GuardedBy("this")
  private void finishCollecting(PrimaryExchange one) {
    collectingCount -= one.isCollecting ? 1 : 0;
    one.isCollected = true;
    if (isUnconfirmed(one)) {
      one.replica.copies().finishCollecting(one.epoch);
    } else {
      one.replica.copies().beginUpdates(one.epoch);
    }
  }

  private @Nullable SegmentOwnership ownership(PrimaryExchange one) {
    SegmentOwnership found =
        topologyDriver.current().findOwnership(one.replica.cache(), one.replica.segment());
    return found != null && found.epoch() == one.epoch ? found : null;
  }

  private boolean isUnconfirmed(PrimaryExchange one) {
    SegmentOwnership ownership = ownership(one);
    return ownership != null && ownership.isUnconfirmed();
  }

  /**
   * Opens the epoch, or reports that nothing depends on holders that are gone, when it is so.
   *
   * @return whether nothing of it is left to do in the epoch, unless a topology says otherwise
   */
  private boolean advance(PrimaryExchange one) {
    SegmentOwnership ownership = ownership(one);
    if (ownership == null) {
      return hasOpened(one);
    }
    Runnable ready = null;
    boolean reports = false;
    synchronized (this) {
      boolean isOpen =
          one.isCollected
              && (ownership.isUnconfirmed()
                  ? one.replica.copies().isComplete(one.epoch)
                  : one.replica.copies().isReady(one.epoch));
      if (one.onReady != null && isOpen) {
        ready = one.onReady;
        one.onReady = null;
      }
      long now = messaging.clock().nanoTime();
      if (one.onReady == null
          && ownership.isOpeningAwaited()
          && (!one.hasReported || now - one.reportedNanos >= REPORT_NANOS)
          && one.replica.copies().isComplete(one.epoch)) {
        one.hasReported = true;
        one.reportedNanos = now;
        reports = true;
      }
    }
    if (ready != null) {
      ready.run();
    }
    if (reports) {
      topologyDriver.reportOpened(one.replica.cache(), one.replica.segment(), one.epoch);
    }
    return hasOpened(one) && !ownership.isOpeningAwaited();
  }

  private synchronized boolean hasOpened(PrimaryExchange one) {
    return one.onReady == null;
  }

  private void addUpdate(
      PrimaryExchange one,
      Member holder,
      Map<Member, List<SegmentUpdate>> updates,
      Set<Member> unanswered) {
    long now = messaging.clock().nanoTime();
    CopyUpdate update = one.replica.copies().nextUpdate(holder, one.epoch, now, RESEND_NANOS);
    if (update != null) {
      updates
          .computeIfAbsent(holder, member -> new ArrayList<>())
          .add(new SegmentUpdate(one.segment(), update));
      if (one.replica.copies().isResent(holder)) {
        unanswered.add(holder);
      }
    }
  }

  private void sendUpdates(Member holder, List<SegmentUpdate> updates) {
    List<SegmentUpdate> batch = new ArrayList<>();
    int bytes = 0;
    for (SegmentUpdate one : updates) {
      batch.add(one);
      bytes += one.update().sizeBytes();
      if (bytes >= MAX_UPDATE_BYTES) {
        messaging.postAsync(holder, new UpdateRequest(batch));
        batch = new ArrayList<>();
        bytes = 0;
      }
    }
    if (!batch.isEmpty()) {
      messaging.postAsync(holder, new UpdateRequest(batch));
    }
  }

  /**
   * Stops asking members that are gone, and asks former primaries that have returned. The next tick
   * forgets segments that are no longer this node's.
   */
  public synchronized void onTopologyAdopted(Topology topology) {
    for (PrimaryExchange one : exchanges.values()) {
      one.cursors.keySet().retainAll(topology.members());
      SegmentOwnership ownership = ownership(one);
      if (ownership != null && !one.isCollected) {
        ownership.lastOwners().stream()
            .filter(topology.members()::contains)
            .filter(member -> !member.equals(messaging.self()))
            .filter(member -> !one.collectedFrom.contains(member))
            .forEach(member -> one.cursors.putIfAbsent(member, SegmentCursor.START));
      }
    }
    if (!exchanges.isEmpty()) {
      wake();
    }
  }

  /** Forgets all exchanges, because this node leaves its grid. */
  public synchronized void reset() {
    exchanges.clear();
    collectingCount = 0;
  }

  // ------------------------------------------------------------------ messages

  /** Handles a message of another member. */
  public void onMessage(MessageKind kind, Member from, Input in) {
    long hashSeed = topologyDriver.current().hashSeed();
    topologyDriver.recordAnswer(from);
    switch (kind) {
      case COLLECT -> onCollect(from, CollectRequest.read(in));
      case COLLECTED -> onCollected(from, CollectReply.read(in, hashSeed));
      case UPDATE_COPIES -> onUpdate(from, UpdateRequest.read(in, hashSeed));
      case COPIES_UPDATED -> onUpdated(from, UpdateReply.read(in));
      default -> throw new IllegalArgumentException(kind + " is not about copies");
    }
  }

  private void onCollect(Member from, CollectRequest request) {
    SegmentEpoch segment = request.segment();
    Replica replica = context.replicas().find(segment.cache(), segment.segment());
    if (replica == null) {
      return;
    }
    byte[] metadata = CopyMessage.NO_METADATA;
    if (request.cursor().equals(SegmentCursor.START)) {
      Output out = new Output(256);
      if (!replica.copies().writeMetadata(segment.epoch(), out)) {
        return;
      }
      metadata = out.toByteArray();
    }
    List<Entry> entries = new ArrayList<>();
    int[] bytes = new int[1];
    SegmentCursor next =
        replica
            .entries()
            .scan(
                request.cursor(),
                entry -> {
                  entries.add(entry);
                  bytes[0] += entry.bytes().length + 16;
                  return bytes[0] >= MAX_REPLY_BYTES
                      ? VisitResult.STOP_AFTER
                      : VisitResult.CONTINUE;
                });
    if (replica.state().epoch() == segment.epoch()) {
      messaging.postAsync(
          from, new CollectReply(segment, request.cursor(), next, metadata, entries));
    }
  }

  private void onCollected(Member from, CollectReply reply) {
    SegmentEpoch segment = reply.segment();
    Replica replica = context.replicas().find(segment.cache(), segment.segment());
    PrimaryExchange exchange;
    synchronized (this) {
      exchange = replica == null ? null : exchanges.get(replica);
      if (exchange == null
          || exchange.epoch != segment.epoch()
          || !reply.cursor().equals(exchange.cursors.get(from))) {
        return;
      }
      if (!exchange
          .replica
          .copies()
          .collect(
              from, exchange.epoch, reply.entries(), CopyMessage.metadataOf(reply.metadata()))) {
        return;
      }
      exchange.askedNanos = messaging.clock().nanoTime();
      if (reply.next().equals(SegmentCursor.END)) {
        exchange.cursors.remove(from);
        exchange.collectedFrom.add(from);
      } else {
        exchange.cursors.put(from, reply.next());
      }
    }
    if (!reply.next().equals(SegmentCursor.END)) {
      messaging.postAsync(from, new CollectRequest(segment, reply.next()));
    } else {
      scheduleInstead(0);
    }
  }

  private void onUpdate(Member from, UpdateRequest request) {
    List<AppliedUpdate> applied = new ArrayList<>();
    for (SegmentUpdate one : request.updates()) {
      SegmentEpoch segment = one.segment();
      Replica replica = context.replicas().find(segment.cache(), segment.segment());
      if (replica != null && replica.copies().applyUpdate(segment.epoch(), one.update())) {
        applied.add(new AppliedUpdate(segment, one.update().number()));
      }
    }
    if (!applied.isEmpty()) {
      messaging.post(from, new UpdateReply(applied));
    }
  }

  private void onUpdated(Member from, UpdateReply reply) {
    Map<Member, List<SegmentUpdate>> updates = new TreeMap<>();
    for (AppliedUpdate applied : reply.applied()) {
      SegmentEpoch segment = applied.segment();
      Replica replica = context.replicas().find(segment.cache(), segment.segment());
      PrimaryExchange exchange;
      synchronized (this) {
        exchange = replica == null ? null : exchanges.get(replica);
      }
      if (replica != null && exchange != null && exchange.epoch == segment.epoch()) {
        replica.copies().onUpdated(from, segment.epoch(), applied.number());
        if (exchange.onReady != null) {
          addUpdate(exchange, from, updates, new TreeSet<>());
          advance(exchange);
        }
      }
    }
    updates.forEach(this::sendUpdates);
  }
}
