package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Version;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * This node's replica of one segment.
 *
 * <p><b>Writing.</b> The primary of an epoch gives each write the next index of that epoch, applies
 * it and has it sent to all other writers, owners and joiners. They apply writes strictly in order,
 * so the index of the last write applied says which writes a replica holds. What all writers have
 * applied is <em>committed</em> ({@link CommitTracker}). The writes above the last commit index
 * known here are the <em>uncommitted writes</em> ({@link ReplicaLog}). An entry of the present
 * epoch above the commit index is <em>dirty</em>: it may not be returned to a caller yet.
 *
 * <p><b>Changing the epoch.</b> A replica that enters an epoch refuses every earlier one from then
 * on. The new primary <em>serves</em> the epoch, that is, answers requests in it, under two
 * conditions. All others have entered it, retiring owners too. And every replica that took part in
 * the last epoch with writes holds the longest log that any of them held. Every acknowledged write
 * is in all of these logs, and a write that is in only some of them is added to the others. Entries
 * of earlier epochs are then clean. A replica learns that its epoch is served from the first
 * message that says so.
 *
 * <p><b>Joining.</b> A joiner takes part in every write from the epoch in which it began, and
 * fetches what earlier epochs left. Tombstones ({@link ReplicaData}) stay while any node joins, so
 * that a fetched entry cannot bring a removed key back.
 *
 * <p><b>Parts.</b> Every method first checks that the epoch and the role are the ones it is for.
 * The parts that callers do not see know neither. What becomes of the replica in another epoch is
 * decided in {@link EpochEntry}, and what only available mode needs is in {@link
 * ReplicaDivergence}. Callers see {@link ReplicaTransfer}, {@link DurabilityBarrier}, {@link
 * ReplicaExpiry}, {@link ReplicaEviction}, {@link ReplicaLookup} and so on.
 *
 * <p><b>Steps and effects.</b> A call is a step: it holds the lock, follows these rules, and
 * returns what the caller is to send. What else follows, for listeners of other calls, is left as a
 * {@link ReplicaEffect}. The caller performs it ({@link #performEffects}) without the lock.
 *
 * <p><b>Threading:</b> any thread; guarded by the monitor of the replica, as are its parts. The
 * lock is never held while something is sent or waited for. {@link #readLocally} and scans take no
 * lock: they compare the state before and after.
 */
public final class Replica {
  private final CacheIdentity cache;
  private final int segment;
  private final ReplicaData data;

  @GuardedBy("this")
  private final ReplicaLog log;

  private final EffectQueue<ReplicaEffect> effects = new EffectQueue<>(this::perform);
  private final CommitTracker commitTracker = new CommitTracker(effects);
  private final ReplicaLookup lookup;
  private final CommandRules commandRules;
  private final DirectExecution directExecution;
  private final ReplicaDivergence divergence;
  private final ReplicaExpiry expiry;
  private final ReplicaEviction eviction;
  private final ValueResidency valueResidency;
  private final ReplicaTransfer transfer;
  private final ReplicaCopies copies;
  private final WriteProgress progress;
  private final DurabilityBarrier barrier;
  private final Runnable onDiskProgress;
  private volatile ReplicaState state = ReplicaState.INITIAL;

  @GuardedBy("this")
  private int sinceEpoch;

  /** Whether this should be the replica of an owner and is not: it has nothing, or only a part. */
  @GuardedBy("this")
  private boolean droppedOwnedCopy;

  /**
   * Creates a replica that has entered no epoch.
   *
   * @param onDiskProgress run when the commit index advances because something is on disk
   */
  Replica(
      CacheIdentity cache, int segment, ReplicaData data, Clock clock, Runnable onDiskProgress) {
    this.cache = cache;
    this.segment = segment;
    this.data = data;
    this.onDiskProgress = onDiskProgress;
    this.log = new ReplicaLog(segment, data);
    this.divergence = new ReplicaDivergence(this, data, log);
    this.eviction = new ReplicaEviction(this, data);
    this.lookup = new ReplicaLookup(data, commitTracker);
    this.commandRules = new CommandRules(data, log, commitTracker, eviction, this::applyOwnWrite);
    this.directExecution = new DirectExecution(this, data, commandRules);
    this.expiry = new ReplicaExpiry(this, data, effects);
    this.valueResidency = new ValueResidency(this, data, clock);
    this.transfer = new ReplicaTransfer(this, data, log, divergence);
    this.copies = new ReplicaCopies(this, data);
    this.barrier = new DurabilityBarrier(this, data.durability());
    this.progress = new WriteProgress(this, log, commitTracker);
  }

  /** Starts from what an earlier incarnation left on disk; called before anything else. */
  synchronized void restore(LoadedReplica loaded) {
    sinceEpoch = loaded.header().sinceEpoch();
    log.restore(loaded.lastVersion());
  }

  /** The place of the cache in the topology. */
  public int cache() {
    return cache.index();
  }

  /**
   * The cache itself. Another grid, to which this node may go over at any time, may have another
   * one at its place.
   */
  public CacheIdentity cacheIdentity() {
    return cache;
  }

  /** The segment this is a replica of. */
  public int segment() {
    return segment;
  }

  /** An epoch of the segment. */
  public SegmentEpoch segmentEpoch(int epoch) {
    return new SegmentEpoch(cache(), segment, epoch);
  }

  /** A write to the segment of which no origin is told. */
  public SegmentWrite segmentWrite(long committed, OrderedWrite write, @Nullable CopyChain chain) {
    return new SegmentWrite(
        segment, write.epoch(), committed, OrderedWrite.OriginNotice.NONE, write, false, chain);
  }

  /**
   * Performs the effects of the steps made so far, in their order. The caller of a step calls this
   * after it, without a lock.
   */
  public void performEffects() {
    effects.perform();
    data.feed().deliver(this);
  }

  private void perform(ReplicaEffect effect) {
    switch (effect) {
      case ReplicaEffect.TellListener(CommitListener listener, boolean isCommitted) ->
          listener.onSettled(isCommitted);
      case ReplicaEffect.AnnounceCommit() -> onDiskProgress.run();
      case ReplicaEffect.TellDeadline(ReplicaExpiry told) -> told.tellDeadline();
    }
  }

  @GuardedBy("this")
  private void setState(ReplicaState next) {
    state = next;
    lookup.onStateChange(next);
  }

  /** The present state. */
  public ReplicaState state() {
    return state;
  }

  /** The entries, for scans that compare {@link #state} before and after. */
  public Container entries() {
    return data.entries();
  }

  /** The expiry of the entries. */
  public ReplicaExpiry expiry() {
    return expiry;
  }

  /** The eviction of entries beyond the bound of the cache. */
  public ReplicaEviction eviction() {
    return eviction;
  }

  /** Which of the values are in memory. */
  public ValueResidency valueResidency() {
    return valueResidency;
  }

  /** Commands of callers on this node, if there is no other writer. */
  public DirectExecution directExecution() {
    return directExecution;
  }

  /** What a joiner fetches of earlier epochs. */
  public ReplicaTransfer transfer() {
    return transfer;
  }

  /** The second copies of a scattered segment. */
  public ReplicaCopies copies() {
    return copies;
  }

  /** How far the writers have come. */
  public WriteProgress progress() {
    return progress;
  }

  /** When the writes that are applied here count as held. */
  public DurabilityBarrier barrier() {
    return barrier;
  }

  /**
   * Observes what is committed, from a version on. The caller performs the effects.
   *
   * @param threads runs what would keep the thread of a step for long, such as a scan
   */
  public synchronized ChangeSubscription observe(
      ChangeObserver observer, Executor threads, Version since) {
    return data.feed().subscribe(observer, threads, since, log.uncommittedCount());
  }

  /** Ends an observation. */
  public synchronized void stopObserving(ChangeSubscription subscription) {
    data.feed().unsubscribe(subscription);
  }

  /** Whether an entry found in a served epoch may be returned to a caller. */
  public boolean isClean(Entry entry, int epoch) {
    return commitTracker.isClean(entry, epoch);
  }

  /** Whether tombstones stay, because other nodes may still have the removed entries. */
  public boolean keepsTombstones() {
    return data.isStamped();
  }

  // ------------------------------------------------------------------ entering an epoch

  /**
   * Enters the epoch of an ownership if it is a later one. Also enters the present epoch again if
   * this replica waits in it as a former owner and need not wait any more, since others have served
   * without it. Returns whether it entered.
   *
   * @param isMember whether this node is a member of that topology
   */
  synchronized boolean enterEpoch(
      SegmentOwnership ownership, Member self, GridDefinition gridDefinition, boolean isMember) {
    boolean mayStopWaiting =
        ownership.epoch() == state.epoch() && state.role() == ReplicaRole.FORMER_OWNER;
    if (ownership.epoch() <= state.epoch() && !mayStopWaiting) {
      return false;
    }
    ReplicaDurability durability = data.durability();
    EpochEntry entry = EpochEntry.of(ownership, self, gridDefinition, durability, sinceEpoch);
    if (mayStopWaiting && entry.role() == ReplicaRole.FORMER_OWNER) {
      return false;
    }
    divergence.onEpochEntry(ownership, self, gridDefinition, isMember);
    sinceEpoch = entry.sinceEpoch();
    log.dropEarlyWrites();
    ReplicaState entered = ReplicaState.ofEntered(ownership, entry.role(), self);
    commitTracker.beginEpoch(entered, barrier.isSynchronous());
    boolean endsPrimary =
        entered.isScattered()
            && state.role() == ReplicaRole.PRIMARY
            && entered.role() != ReplicaRole.PRIMARY;
    setState(entered);
    if (entry.isWorthless()) {
      // After the state has changed, so that a reader without the lock sees that it may not
      // answer.
      dropContents();
      if (durability != null) {
        durability.drop(gridDefinition, ownership.epoch(), ownership.birthEpoch());
      }
    } else if (endsPrimary) {
      data.feed().onDropped(entered.epoch());
      log.beginEpoch(0);
    }
    if (data.isScattered()) {
      copies.onEpochEntered(entered, ownership, log.uncommitted());
    }
    droppedOwnedCopy =
        entry.hasDroppedOwnedCopy()
            || (ownership.isUnowned() && entry.role() == ReplicaRole.JOINER && !holdsEverything());
    if (durability != null) {
      recordEpochOnDisk(durability, gridDefinition);
    }
    return true;
  }

  /** Records on disk what this is a replica of. */
  @GuardedBy("this")
  private void recordEpochOnDisk(ReplicaDurability present, GridDefinition gridDefinition) {
    boolean takesPart = state.role().isWriter();
    if (takesPart && present.isRestored()) {
      data.sessions().forgetBefore(state.epoch());
    }
    long millis = data.segmentClock().readMillis();
    present.onEpochEntered(gridDefinition.gridId(), state.epoch(), sinceEpoch, takesPart, millis);
  }

  /**
   * Whether this replica holds everything that was acknowledged. A joiner counts once it has
   * fetched all: it may be an owner in a topology it does not know yet, and former owners that know
   * that topology have dropped their replicas.
   */
  public synchronized boolean holdsEverything() {
    return state.role().isInSync() || (state.role() == ReplicaRole.JOINER && transfer.isComplete());
  }

  /** What this replica keeps for other sides of a partition. */
  public ReplicaDivergence divergence() {
    return divergence;
  }

  /** Ends this replica because this node has left its grid: it is never used again. */
  synchronized void retire() {
    divergence.onRetirement();
    destroy();
  }

  /** Ends this replica because its cache was destroyed: nothing of it counts any more. */
  synchronized void destroy() {
    setState(ReplicaState.RETIRED);
    dropContents();
    commitTracker.refuseListeners();
  }

  /** Gives back its memory, because this node has closed. */
  synchronized void close() {
    data.clearEntries();
  }

  /**
   * Whether the voters must be told that this replica does not hold everything. Either the topology
   * takes it for the replica of an owner or of a last owner, though this node has dropped it and
   * has no part in the epoch; or the segment is lost, and each joiner is asked.
   */
  public synchronized boolean hasDroppedOwnedCopy(int epoch) {
    return droppedOwnedCopy && state.epoch() == epoch;
  }

  @GuardedBy("this")
  private void dropContents() {
    data.feed().onDropped(state.epoch());
    log.beginEpoch(0);
    data.clear();
    divergence.onDropped();
    transfer.restart();
  }

  /**
   * Summarizes the log, with the uncommitted writes missing at a node that has come to {@code
   * knownApplied} in {@code knownEpoch}.
   */
  public synchronized ReplicaLogSummary summarizeLog(int knownEpoch, long knownApplied) {
    return log.summarize(sinceEpoch, knownEpoch, knownApplied);
  }

  /** The epoch since which this replica has taken part in every write; 0 if it has in none. */
  public synchronized int sinceEpoch() {
    return sinceEpoch;
  }

  /**
   * Takes over the longest log of all, as the new primary.
   *
   * @param logs what the other writers hold
   * @return what each of them lacks; empty when the epoch may be served
   */
  public synchronized List<ReplicaLogSummary.MissingWrites> takeOverLog(
      int epoch, Map<Member, ReplicaLogSummary> logs) {
    return state.epoch() != epoch || state.isServing() ? List.of() : log.takeOver(logs);
  }

  /** Adds writes of an earlier epoch before the present one is served. */
  public synchronized boolean fillLog(int epoch, int writesEpoch, List<OrderedWrite> writes) {
    boolean isWriter = state.epoch() == epoch && state.role().isWriter();
    if (isWriter && !state.isServing()) {
      log.fillMissing(writesEpoch, writes);
    }
    return isWriter;
  }

  /** Starts to serve, as the primary, the epoch that all writers have entered. */
  public synchronized boolean serveEpoch(int epoch) {
    boolean leads = state.epoch() == epoch && state.role() == ReplicaRole.PRIMARY;
    if (leads) {
      markServed();
    }
    return leads;
  }

  /**
   * Notes that the present epoch is served: the writes of earlier epochs are wherever they must be.
   */
  @GuardedBy("this")
  void markServed() {
    if (!state.isServing()) {
      log.beginEpoch(state.epoch());
      setState(state.asServing());
      if (holdsEverything()) {
        data.feed().onComplete();
      }
      data.purgeTombstones(state, commitTracker);
      if (data.isScattered()) {
        copies.onServed();
      }
    }
  }

  // ------------------------------------------------------------------ reading

  /** Looks a key up without a lock. */
  public LocalRead readLocally(long hash, byte[] key, int offset, int length) {
    return lookup.findSnapshot(hash, key, offset, length);
  }

  /**
   * Looks a key up again, with the entry that was read from disk for the same look-up; null if it
   * is the first time. It is one use, and not two.
   */
  public LocalRead readLocally(
      long hash, byte[] key, int offset, int length, @Nullable Entry loaded) {
    return loaded == null
        ? readLocally(hash, key, offset, length)
        : lookup.findAgain(hash, key, offset, length).withValue(loaded);
  }

  /** What looks keys up without a lock. */
  public ReplicaLookup lookup() {
    return lookup;
  }

  /** Counts the live entries at the primary; null if this is not the primary. */
  public synchronized @Nullable LiveEntryCount countLive() {
    long applied = log.applied();
    return state.isActivePrimary()
        ? new LiveEntryCount(
            entries().liveCount(), state.epoch(), applied, applied <= commitTracker.index())
        : null;
  }

  /**
   * Has a listener told, exactly once, that an index of an epoch is committed or that it never will
   * be: by the effects of this step, or of a later one.
   *
   * @return true if it waits for a later step
   */
  public synchronized boolean notifyOnceCommitted(int epoch, long index, CommitListener listener) {
    return commitTracker.addListener(state.epoch() == epoch, index, listener);
  }

  // ------------------------------------------------------------------ writing

  /** Executes a command, as the primary ({@link CommandRules#execute}). */
  public synchronized ExecuteResult execute(
      BooleanSupplier mayWrite,
      int epoch,
      CommandId command,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      CommandDecision decision) {
    return commandRules.execute(
        state, mayWrite, epoch, command, hash, key, keyOffset, keyLength, decision);
  }

  /**
   * Makes, as the primary, a write that no caller asked for.
   *
   * @param writeSource makes the write with a version, or null if there is nothing to write
   * @return what was written; null if nothing was, or this is not the primary
   */
  synchronized @Nullable PrimaryInitiatedWrite issueWrite(
      Function<Version, @Nullable OrderedWrite> writeSource) {
    OrderedWrite write =
        state.isActivePrimary()
            ? writeSource.apply(new Version(state.epoch(), log.applied() + 1))
            : null;
    if (write == null) {
      return null;
    }
    WriteRoute route = applyOwnWrite(write);
    return new PrimaryInitiatedWrite(write, commitTracker.announce(), state, route);
  }

  private synchronized WriteRoute applyOwnWrite(OrderedWrite write) {
    WriteRoute route = commitTracker.route(write, copies, log);
    log.apply(write);
    copies.endWrite();
    barrier.onApplied(state.epoch(), log.applied());
    if (commitTracker.isSoleWriter()) {
      advanceCommit(write.index());
    }
    return route;
  }

  /** Notes that the writes of an epoch up to an index are on disk here. */
  synchronized void recordOnDisk(int epoch, long upTo) {
    if (state.epoch() == epoch) {
      commitTracker.recordOnDisk(upTo);
      if (state.isActivePrimary()
          && advanceCommit(commitTracker.recordAck(state.others().size(), upTo))) {
        effects.add(new ReplicaEffect.AnnounceCommit());
      }
    }
  }

  /**
   * Refuses an attempt of a command in the epoch it was sent in. Returns {@link
   * CommandOutcome.Refused}, or {@link CommandOutcome.Forgotten} if it may have been executed.
   */
  public synchronized CommandOutcome refuse(int epoch, CommandId command) {
    return commandRules.refuse(state, epoch, command);
  }

  /** Handles another writer's acknowledgement. Returns whether it advances the commit index. */
  public synchronized boolean onAck(Member from, int epoch, long upTo) {
    int place = state.epoch() == epoch ? state.others().indexOf(from) : -1;
    return place >= 0 && advanceCommit(commitTracker.recordAck(place, upTo));
  }

  @GuardedBy("this")
  private boolean advanceCommit(long committedIndex) {
    if (committedIndex <= commitTracker.index()) {
      return false;
    }
    commitTracker.advanceTo(committedIndex);
    log.forgetCommitted(committedIndex);
    data.purgeTombstones(state, commitTracker);
    if (data.isScattered()) {
      copies.onCommitted(committedIndex);
    }
    return true;
  }

  /** Takes the commit index that the primary has announced; false if the epoch is over. */
  public synchronized boolean applyCommitIndex(int epoch, long primaryCommitted) {
    boolean follows = follows(epoch);
    if (follows) {
      markServed();
      followCommit(primaryCommitted);
    }
    return follows;
  }

  @GuardedBy("this")
  private void followCommit(long primaryCommitted) {
    advanceCommit(Math.min(primaryCommitted, log.applied()));
  }

  /**
   * Applies a write that the primary sent, in whatever order writes arrive.
   *
   * @return how far this replica has come, or null if the epoch is over
   */
  public synchronized @Nullable ApplyResult applyReplicated(SegmentWrite received) {
    if (!follows(received.epoch())) {
      return null;
    }
    markServed();
    CopyChain chain = received.chain();
    if (chain != null) {
      List<SegmentWrite> copied = log.applyCopy(received, chain);
      return new ApplyResult(log.applied(), copied);
    }
    List<SegmentWrite> taken = log.applyInOrder(received);
    if (!taken.isEmpty()) {
      barrier.onApplied(state.epoch(), log.applied());
    }
    followCommit(received.committed());
    return new ApplyResult(log.applied(), taken);
  }

  /** Whether this replica takes part in an epoch in which another node is the primary. */
  private boolean follows(int epoch) {
    return state.epoch() == epoch && state.role().isWriter() && state.role() != ReplicaRole.PRIMARY;
  }

  /** Drops the results of sessions that have ended, and executes no more commands of them. */
  synchronized void retainSessions(LiveSessions liveSessions) {
    data.sessions().retainLive(liveSessions);
    data.heapCount().countOther();
  }
}
