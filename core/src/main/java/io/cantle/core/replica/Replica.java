package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.partition.DivergenceHistory;
import io.cantle.core.partition.DivergenceHistory.FinalContents;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.SegmentIndex;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
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
 * <p>Every method first checks that the epoch and the role are the ones it is for. The parts of a
 * replica do not know them.
 *
 * <p><b>Steps and effects.</b> A call is a step: it holds the lock, follows these rules, and
 * returns what the caller is to send. What else follows, for waiters of other calls, is left in
 * {@link EffectQueue}. The caller performs it ({@link #performEffects}) without the lock.
 *
 * <p><b>Threading:</b> any thread; guarded by the monitor of the replica, as are its parts. The
 * lock is never held while something is sent or waited for. {@link #readLocally} and scans take no
 * lock: they compare the state before and after.
 */
public final class Replica {
  private final int cache;
  private final int segment;
  private final ReplicaData data;

  @GuardedBy("this")
  private final ReplicaLog log;

  private final EffectQueue effects = new EffectQueue();
  private final CommitTracker commitTracker = new CommitTracker(effects);
  private final CommandRules commandRules;

  @GuardedBy("this")
  private final DivergenceHistory divergenceHistory = new DivergenceHistory();

  private final ReplicaExpiry expiry;
  private final ValueResidency valueResidency;
  private volatile ReplicaState state = ReplicaState.INITIAL;

  @GuardedBy("this")
  private int sinceEpoch;

  @GuardedBy("this")
  private SegmentCursor transferCursor = SegmentCursor.START;

  /**
   * Whether this should be the replica of an owner and is not: this node has nothing, or only a
   * part.
   */
  @GuardedBy("this")
  private boolean droppedOwnedCopy;

  /** Writes the replica to disk; null if it is not durable. */
  private final @Nullable ReplicaDurability durability;

  /** Whether a write counts as held only once it is on disk. */
  private final boolean synchronouslyDurable;

  /** The index up to which the present epoch is on disk, if that matters. */
  @GuardedBy("this")
  private long onDiskIndex;

  Replica(int cache, int segment, ReplicaData data, Clock clock) {
    this.cache = cache;
    this.segment = segment;
    this.data = data;
    this.log = new ReplicaLog(segment, data);
    this.commandRules = new CommandRules(data, log, commitTracker, this::applyOwnWrite);
    this.expiry = new ReplicaExpiry(data, this::issueWrite);
    this.valueResidency = new ValueResidency(this, data, clock);
    this.durability = data.durability();
    this.synchronouslyDurable = durability != null && durability.isSynchronous();
  }

  /**
   * Starts from what an earlier incarnation of this node left on disk. Called before anything else.
   */
  synchronized void restore(LoadedReplica loaded) {
    sinceEpoch = loaded.header().sinceEpoch();
    log.restore(loaded.lastVersion());
  }

  /** The place of the cache in the topology. */
  public int cache() {
    return cache;
  }

  /** The segment this is a replica of. */
  public int segment() {
    return segment;
  }

  /** An epoch of the segment. */
  public SegmentEpoch segmentEpoch(int epoch) {
    return new SegmentEpoch(cache, segment, epoch);
  }

  /** A write to the segment of which no origin is told. */
  public SegmentWrite segmentWrite(long committed, OrderedWrite write) {
    return new SegmentWrite(
        segment, write.epoch(), committed, OrderedWrite.OriginNotice.NONE, write, false);
  }

  /** An index in an epoch of the segment. */
  public SegmentIndex segmentIndex(int epoch, long index) {
    return new SegmentIndex(cache, segment, epoch, index);
  }

  /**
   * Performs the effects of the steps made so far, in their order. The caller of a step calls this
   * after it, without a lock.
   */
  public void performEffects() {
    effects.perform();
    data.feed().deliver(this);
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

  /** Which of the values are in memory. */
  public ValueResidency valueResidency() {
    return valueResidency;
  }

  /** Observes what is committed, from a version on. The caller performs the effects. */
  public synchronized ChangeSubscription observe(ChangeObserver observer, Version since) {
    return data.feed().subscribe(observer, since, log.uncommittedCount());
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

  /** Enters the epoch of an ownership, for a node that is a member. */
  boolean enterEpoch(SegmentOwnership ownership, Member self, GridDefinition gridDefinition) {
    return enterEpoch(ownership, self, gridDefinition, true);
  }

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
    boolean isOfOtherGrid = durability != null && durability.isOfOtherGrid(gridDefinition);
    boolean restored = durability != null && durability.isRestored() && !isOfOtherGrid;
    ReplicaRole role =
        durability != null && !isOfOtherGrid && (restored || sinceEpoch != 0)
            ? ReplicaRole.ofDurable(ownership, self, durability.reachedEpoch())
            : ReplicaRole.of(ownership, self);
    if (mayStopWaiting && role == ReplicaRole.FORMER_OWNER) {
      return false;
    }
    recordDivergence(ownership, self, gridDefinition, isMember);
    if (isOfOtherGrid || (restored && role == ReplicaRole.JOINER)) {
      sinceEpoch = 0;
    }
    droppedOwnedCopy =
        durability != null
            && sinceEpoch == 0
            && role.isInSync()
            && durability.hasDropped(gridDefinition, ownership.birthEpoch());
    if (droppedOwnedCopy) {
      role = ReplicaRole.NONE;
    }
    int began = role == ReplicaRole.JOINER ? ReplicaRole.joinEpoch(ownership, self) : sinceEpoch;
    boolean isWorthless =
        role == ReplicaRole.NONE || began != sinceEpoch || sinceEpoch < ownership.birthEpoch();
    sinceEpoch = isWorthless && began == sinceEpoch ? 0 : began;
    if (role == ReplicaRole.NONE) {
      sinceEpoch = 0;
    } else if (sinceEpoch == 0) {
      // On disk this is recorded before the epoch is served: a node without the record held
      // nothing that counts.
      sinceEpoch = durability == null ? ownership.epoch() : ownership.birthEpoch();
    }
    log.dropEarlyWrites();
    ReplicaState entered = ReplicaState.ofEntered(ownership, role, self);
    commitTracker.beginEpoch(entered.others().size() + (synchronouslyDurable ? 1 : 0));
    onDiskIndex = 0;
    state = entered;
    if (isWorthless) {
      // After the state has changed, so that a reader without the lock sees that it may not
      // answer.
      dropContents();
      if (durability != null) {
        durability.drop(gridDefinition, ownership.epoch(), ownership.birthEpoch());
      }
    }
    droppedOwnedCopy |= ownership.isUnowned() && role == ReplicaRole.JOINER && !holdsEverything();
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
   * Remembers what other sides of a partition may lack, before it is dropped. The contents with
   * which this node was excluded count too: the nodes that continued without it may all have died
   * since, and the topology that names them as owners may be an old one.
   */
  @GuardedBy("this")
  private void recordDivergence(
      SegmentOwnership ownership, Member self, GridDefinition gridDefinition, boolean isMember) {
    boolean wasExcluded = !isMember || state.role() == ReplicaRole.FORMER_OWNER;
    boolean endsByExclusion = wasExcluded && !ReplicaRole.of(ownership, self).isInSync();
    if (gridDefinition.prefersAvailability()
        && holdsEverything()
        && (ownership.birthEpoch() > state.epoch() || endsByExclusion)) {
      divergenceHistory.keepFinalContents(captureFinalContents());
    }
    divergenceHistory.enterGrid(
        gridDefinition.gridId(), holdsEverything() ? log.divergencePoint(state.epoch()) : null);
    data.setStamped(gridDefinition.prefersAvailability());
  }

  /**
   * Whether this replica holds everything that was acknowledged. A joiner counts once it has
   * fetched all: it may be an owner in a topology it does not know yet, and former owners that know
   * that topology have dropped their replicas.
   */
  public synchronized boolean holdsEverything() {
    return state.role().isInSync()
        || (state.role() == ReplicaRole.JOINER && transferCursor.equals(SegmentCursor.END));
  }

  @GuardedBy("this")
  private FinalContents captureFinalContents() {
    DivergencePoint reached = log.divergencePoint(state.epoch());
    return divergenceHistory.createFinalContents(
        state.role() != ReplicaRole.FORMER_OWNER,
        reached,
        data.allEntries(),
        data.segmentClock().segmentTime());
  }

  /**
   * How far this replica had come when it left a grid; null if it holds nothing of that grid's
   * writes.
   */
  public synchronized @Nullable DivergencePoint divergenceFrom(UUID left) {
    return divergenceHistory.pointFrom(left);
  }

  /**
   * Returns, once only, what this replica held when it entered the present epoch, if that is to be
   * merged.
   */
  synchronized @Nullable FinalContents takeFinalContents() {
    return divergenceHistory.takeFinalContents();
  }

  /**
   * Ends this replica because this node has left its grid: it is never used again. Returns what it
   * holds, if it holds everything.
   */
  synchronized @Nullable FinalContents retire() {
    FinalContents held = holdsEverything() ? captureFinalContents() : null;
    state = ReplicaState.RETIRED;
    dropContents();
    commitTracker.refuseWaiters();
    return held;
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
    divergenceHistory.clear();
    transferCursor = SegmentCursor.START;
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
  private void markServed() {
    if (!state.isServing()) {
      log.beginEpoch(state.epoch());
      state = state.asServing();
      if (holdsEverything()) {
        data.feed().onComplete();
      }
      data.purgeTombstones(state, commitTracker);
    }
  }

  // ------------------------------------------------------------------ on disk

  /** Whether the replica is kept on disk too. */
  public boolean isDurable() {
    return durability != null;
  }

  /** Whether a write counts as held, here and at the other writers, only once it is on disk. */
  public boolean isSynchronouslyDurable() {
    return synchronouslyDurable;
  }

  /** Whether so much waits for the disk that only necessary writes should be taken. */
  public boolean isFull() {
    ReplicaDurability present = durability;
    return present != null && present.isFull();
  }

  /**
   * Whether a write that is applied now counts as held only later. That is so if writes must be on
   * disk first. It is also so for any durable cache while the disk is behind, since otherwise
   * callers would never notice.
   */
  public boolean isAcknowledgedLater() {
    return synchronouslyDurable || isFull();
  }

  /**
   * Runs a task once every write this replica has applied is as durable here as its cache requires:
   * at once, unless it waits for the disk. If the disk fails, the task never runs.
   */
  public void whenAcknowledgeable(Runnable task) {
    if (isAcknowledgedLater()) {
      whenOnDisk(task);
    } else {
      task.run();
    }
  }

  /**
   * Runs a task once every write this replica has applied is on disk, even if writes do not wait
   * for the disk: at once, if the replica is not durable.
   */
  public void whenOnDisk(Runnable task) {
    ReplicaDurability present = durability;
    if (present == null) {
      task.run();
      return;
    }
    synchronized (this) {
      present.whenOnDisk(task);
    }
  }

  /** Lets the writes just applied count as held once they are on disk. */
  @GuardedBy("this")
  private void acknowledgeOnceOnDisk() {
    ReplicaDurability present = durability;
    if (present != null && synchronouslyDurable) {
      int epoch = state.epoch();
      long applied = log.applied();
      present.whenOnDisk(
          () -> {
            boolean advancesCommit = recordOnDisk(epoch, applied);
            performEffects();
            if (advancesCommit) {
              present.progressCallback().run();
            }
          });
    }
  }

  /**
   * Records that the writes up to an index are on disk. Returns whether that advances the commit
   * index.
   */
  private synchronized boolean recordOnDisk(int epoch, long upTo) {
    if (state.epoch() != epoch) {
      return false;
    }
    onDiskIndex = Math.max(onDiskIndex, upTo);
    return state.isActivePrimary()
        && advanceCommit(commitTracker.recordAck(state.others().size(), upTo));
  }

  // ------------------------------------------------------------------ reading

  /** Looks a key up without a lock. */
  public LocalRead readLocally(long hash, byte[] key, int offset, int length) {
    ReplicaState before = state;
    if (!before.isReadable()) {
      return new LocalRead(LocalRead.Status.REFUSED, before.epoch(), null);
    }
    Entry entry = data.find(hash, key, offset, length);
    data.markUsed(entry);
    boolean clean = entry == null || isClean(entry, before.epoch());
    if (!before.isSameAs(state)) {
      return new LocalRead(LocalRead.Status.REFUSED, before.epoch(), null);
    }
    return new LocalRead(
        clean ? LocalRead.Status.CLEAN : LocalRead.Status.DIRTY, before.epoch(), entry);
  }

  /** Counts the live entries at the primary; null if this is not the primary. */
  public synchronized @Nullable LiveEntryCount countLive() {
    return state.isActivePrimary() ? liveEntryCount(log.applied()) : null;
  }

  private LiveEntryCount liveEntryCount(long applied) {
    return new LiveEntryCount(
        entries().liveCount(), state.epoch(), applied, applied <= commitTracker.index());
  }

  /**
   * Tells a waiter, exactly once, that an index of an epoch is committed or that it never will be.
   *
   * @return true if it has not been told yet
   */
  public boolean whenCommitted(int epoch, long index, CommitWaiter waiter) {
    boolean isCommitted;
    synchronized (this) {
      isCommitted = state.epoch() == epoch && index <= commitTracker.index();
      if (state.epoch() == epoch && !isCommitted) {
        commitTracker.addWaiter(index, waiter);
        return true;
      }
    }
    waiter.onSettled(isCommitted);
    return false;
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

  /** Makes, as the primary, a write that no caller asked for. */
  private synchronized @Nullable PrimaryInitiatedWrite issueWrite(
      ReplicaExpiry.WriteSource writeSource) {
    OrderedWrite write =
        state.isActivePrimary()
            ? writeSource.nextWrite(new Version(state.epoch(), log.applied() + 1))
            : null;
    if (write == null) {
      return null;
    }
    applyOwnWrite(write);
    return new PrimaryInitiatedWrite(write, commitTracker.announce(), state);
  }

  private synchronized void applyOwnWrite(OrderedWrite write) {
    log.apply(write);
    acknowledgeOnceOnDisk();
    if (commitTracker.isSoleWriter()) {
      advanceCommit(write.index());
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
    List<SegmentWrite> taken = log.applyInOrder(received);
    if (!taken.isEmpty()) {
      acknowledgeOnceOnDisk();
    }
    followCommit(received.committed());
    return new ApplyResult(log.applied(), taken);
  }

  /** Whether this replica takes part in an epoch in which another node is the primary. */
  private boolean follows(int epoch) {
    return state.epoch() == epoch && state.role().isWriter() && state.role() != ReplicaRole.PRIMARY;
  }

  // ------------------------------------------------------------------ progress of the writers

  /**
   * How far this replica has come in an epoch, in any writing role, as far as it may acknowledge;
   * -1 if the epoch is over or not served.
   */
  synchronized long appliedAsWriter(int epoch) {
    long applied = state.epoch() == epoch ? log.appliedInEpoch(epoch) : -1;
    return synchronouslyDurable ? Math.min(applied, onDiskIndex) : applied;
  }

  /** How far the active primary has come in an epoch; -1 if this is not the active primary. */
  public synchronized long appliedAsPrimary(int epoch) {
    return state.epoch() == epoch && state.isActivePrimary() ? log.applied() : -1;
  }

  /** The commit index, at the active primary; -1 if this is not the active primary. */
  synchronized long committedAsPrimary(int epoch) {
    return state.epoch() == epoch && state.isActivePrimary() ? commitTracker.index() : -1;
  }

  /**
   * Finds the writers that have not acknowledged writes made before the previous call. Messages may
   * be lost, and every caller waits for the last writer.
   *
   * @param maxWrites the most writes to return for each of them
   */
  public synchronized List<UnacknowledgedWrites> findUnacknowledged(int maxWrites) {
    if (!state.isActivePrimary()) {
      commitTracker.forgetOverdue();
      return List.of();
    }
    return commitTracker.findUnacknowledged(log, state.others(), maxWrites);
  }

  /** Whether some write made here is not acknowledged by all other writers. */
  public synchronized boolean hasUnacknowledgedWrites() {
    return state.isActivePrimary() && log.applied() > commitTracker.index();
  }

  /**
   * Whether this replica, which is not the primary, holds writes without knowing whether they are
   * committed.
   */
  synchronized boolean hasUncertainWrites() {
    return (state.role() == ReplicaRole.BACKUP || state.role() == ReplicaRole.JOINER)
        && (!state.isServing() || !log.isEmpty());
  }

  /** The commit index to send to backups that receive no write; -1 if there is nothing to send. */
  synchronized long announceCommitIfNew() {
    return state.isActivePrimary() ? commitTracker.announceIfNew() : -1;
  }

  // ------------------------------------------------------------------ joining

  /**
   * The cursor from which the next transfer continues, for a joiner in this epoch; null when there
   * is no transfer to make.
   */
  public synchronized @Nullable SegmentCursor transferCursor(int epoch) {
    return isJoining(epoch) ? transferCursor : null;
  }

  @GuardedBy("this")
  private boolean isJoining(int epoch) {
    return state.epoch() == epoch && state.role() == ReplicaRole.JOINER;
  }

  /**
   * Adds what a transfer brought, once this replica has come as far as the primary had. The primary
   * leaves out an entry that a write of the present epoch has replaced. That is safe only where
   * that write is held: if the write is lost with its primary, the old entry must still exist
   * somewhere.
   *
   * @param index how far the primary had come when it had read the last of the entries
   * @param segmentMillis the time of the segment at the primary, -1 if it has not started
   */
  public synchronized TransferResult applyTransfer(
      int epoch, long index, List<Entry> entries, SegmentCursor next, long segmentMillis) {
    if (!isJoining(epoch)) {
      return TransferResult.REFUSED;
    }
    // Only an active primary answers transfers, so the epoch is served.
    markServed();
    if (log.applied() < index) {
      return TransferResult.NOT_YET;
    }
    entries.forEach(data::addTransferred);
    data.advanceClock(segmentMillis);
    transferCursor = next;
    if (holdsEverything()) {
      // Tombstones were purged elsewhere before this replica could know them.
      data.feed().onPurged(epoch, log.applied());
      data.feed().onComplete();
    }
    return TransferResult.ADDED;
  }

  /** Adds the results of commands that the primary knows; false when the epoch is over. */
  public synchronized boolean mergeSessions(int epoch, Input in) {
    boolean joins = isJoining(epoch);
    if (joins) {
      data.sessions().merge(in);
      divergenceHistory.merge(in);
    }
    return joins;
  }

  /**
   * Writes the results of commands of earlier epochs. Those of the present epoch reach a joiner
   * with the writes themselves: a result without its write would be returned even if the write is
   * lost.
   */
  public synchronized void writeSessions(Output out) {
    data.sessions().write(out, state.epoch());
    divergenceHistory.write(out);
  }

  /** Drops the results of sessions that have ended, and executes no more commands of them. */
  synchronized void retainSessions(LiveSessions liveSessions) {
    data.sessions().retainLive(liveSessions);
  }
}
