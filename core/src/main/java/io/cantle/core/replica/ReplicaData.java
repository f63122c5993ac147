package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.AppliedObserver;
import io.cantle.core.container.Container;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EntryObjects;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.ValueHints;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.ReplicaHeader;
import io.cantle.core.replica.CommittedChange.Cause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a replica: entries, tombstones that other nodes may still need, and the results
 * of commands. Of two versions of an entry the later one stays, in whatever order they arrive.
 *
 * <p><b>Changes.</b> Whatever is applied passes the same place, which tells observers, the feed and
 * the account of a bound. A tick is one write that ends all entries that are due by its time; that
 * time stays known, so that a due entry that is fetched later has ended too.
 *
 * <p><b>Scattered segments.</b> At a holder the entries are second copies: they come with the
 * writes or in updates, and no change of them is told to the feed. At the primary {@link
 * ReplicaCopies} says which tombstones may go.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; any thread may scan {@link #entries} and
 * read {@link #stamped}.
 */
final class ReplicaData {
  /**
   * The most tombstones kept for nodes that may still have the removed entries. The removal of an
   * older one may be undone.
   */
  private static final int MAX_TOMBSTONES = 4_096;

  private final DecodedObjectCache objectCache;
  private final ValueHints hints;
  private final HybridLogicalClock stampClock;
  private final Container entries;
  private final SessionTable sessions;
  private final SegmentClock segmentClock;
  private final @Nullable ReplicaDurability durability;
  private final @Nullable EntryAccount account;
  private final HeapCount heapCount;
  private final AppliedObserver[] appliedObservers;
  private final boolean marksUses;
  private final ChangeFeed feed;
  private final ArrayDeque<Entry> tombstones = new ArrayDeque<>();
  private Runnable deadlineTask = () -> {};
  private @Nullable ReplicaCopies copies;
  private volatile boolean stamped;
  private long committedStamp;

  /** Every entry that was due by this time of the segment has ended. */
  private long expiredUntilMillis = SegmentClock.NOT_STARTED;

  /**
   * Creates the contents of a replica.
   *
   * @param entries the container, with what was loaded
   * @param hints what is remembered of the cache
   * @param durability writes the contents to disk, or null if they are not durable
   * @param account of what may be evicted if the cache has a bound or is durable, else null
   * @param heapRoom counts the bytes of entries on the heap
   * @param loaded what an earlier incarnation of this node kept, or null
   */
  ReplicaData(
      Container entries,
      DecodedObjectCache objectCache,
      ValueHints hints,
      HybridLogicalClock stampClock,
      Clock clock,
      LiveSessions liveSessions,
      @Nullable ReplicaDurability durability,
      @Nullable EntryAccount account,
      HeapRoom heapRoom,
      @Nullable LoadedReplica loaded) {
    this.objectCache = objectCache;
    this.hints = hints;
    this.stampClock = stampClock;
    this.segmentClock = new SegmentClock(clock);
    this.sessions = new SessionTable(liveSessions);
    this.durability = durability;
    this.account = account;
    this.heapCount = new HeapCount(heapRoom, entries, sessions, tombstones, account);
    List<AppliedObserver> observers = new ArrayList<>();
    if (entries.keepsEntries()) {
      observers.add(objectCache);
    }
    if (durability != null) {
      observers.add(durability);
    }
    if (account != null) {
      observers.add(account);
    }
    this.appliedObservers = observers.toArray(AppliedObserver[]::new);
    this.marksUses = account != null && account.evicts();
    this.entries = entries;
    this.feed = new ChangeFeed(entries);
    if (durability != null && loaded != null) {
      tombstones.addAll(loaded.tombstones());
      feed.onPurged(loaded.lastVersion().epoch(), loaded.lastVersion().index());
      expiredUntilMillis = loaded.segmentMillis();
      this.segmentClock.advanceTo(loaded.segmentMillis());
      // Every later write gets a later stamp, even if this machine's time of day is behind.
      stampClock.observe(loaded.latestStamp());
      durability.restore(loaded);
      countSizeChange(0);
    }
  }

  /** Writes the contents to disk; null if they are not durable. */
  @Nullable ReplicaDurability durability() {
    return durability;
  }

  /** The count of the bytes on the heap. */
  HeapCount heapCount() {
    return heapCount;
  }

  /** The account of what may be evicted if the cache has a bound or is durable, else null. */
  @Nullable EntryAccount account() {
    return account;
  }

  Container entries() {
    return entries;
  }

  SessionTable sessions() {
    return sessions;
  }

  /** The feed of what is committed. */
  ChangeFeed feed() {
    return feed;
  }

  /** Sets whether members of this grid continue when they are cut off. */
  void setStamped(boolean value) {
    stamped = value;
  }

  /** Whether writes are stamped and tombstones stay, to be compared with those of other sides. */
  boolean isStamped() {
    return stamped;
  }

  /** The stamp of a new write. */
  long nextStamp(CommandEffect effect) {
    return !stamped ? 0 : effect.stamp() != 0 ? effect.stamp() : stampClock.next();
  }

  /** Records that all owners hold a write, the earliest of those they may lack. */
  void onCommitted(OrderedWrite write) {
    if (feed.isObserved()) {
      feed.onCommitted(write.index());
    }
    if (stamped && write instanceof OrderedWrite.CommandWrite commandWrite) {
      onCommitted(commandWrite.entry());
    }
  }

  private void onCommitted(Entry entry) {
    committedStamp = Math.max(committedStamp, entry.stamp());
  }

  /** The latest stamp of what all owners hold, or have held. */
  long committedStamp() {
    return committedStamp;
  }

  /** The entry of a key, which may be a tombstone; null for none. */
  @Nullable Entry find(long hash, byte[] key, int offset, int length) {
    return entries.get(hash, key, offset, length);
  }

  /** As the other {@code find}, by the bytes of a key or by the object that they encode. */
  @Nullable Entry find(long hash, @Nullable Object keyObject, byte[] key, int offset, int length) {
    return entries.get(hash, keyObject, key, offset, length);
  }

  /** What is remembered of the cache. */
  ValueHints hints() {
    return hints;
  }

  /** Whether uses of entries are marked. */
  boolean marksUses() {
    return marksUses;
  }

  /** Marks an entry as used, so that it, or its value, is not evicted soon. */
  void markUsed(@Nullable Entry entry) {
    if (entry != null && marksUses) {
      entries.markUsed(entry);
    }
  }

  /** The present version of the key of an entry, which may be a tombstone; null for none. */
  @Nullable Entry find(Entry entry) {
    return entries.get(entry.hash(), entry.keyBytes(), 0, entry.keyLength());
  }

  /** Applies a write and records the result of its command. */
  void apply(OrderedWrite write) {
    switch (write) {
      case OrderedWrite.CommandWrite(Entry entry, CommandId command, OperationResult result) -> {
        add(entry, Cause.COMMAND);
        sessions.recordWritten(command, entry.epoch(), entry.index(), result);
      }
      case OrderedWrite.TouchWrite(Entry entry) -> add(entry, Cause.READ);
      case OrderedWrite.EvictionWrite(Entry entry) -> add(entry, Cause.EVICTION);
      case OrderedWrite.RetainedVersion(Entry entry) -> add(entry, Cause.RECOVERY);
      case OrderedWrite.ExpiryTick tick -> applyTick(tick);
    }
  }

  /**
   * Applies a write of a command, which is committed with that.
   *
   * @param found the present version of its key, which may be a tombstone; null for none
   */
  void applyCommitted(@Nullable Entry found, Entry entry) {
    replace(found, entry, Cause.COMMAND);
    if (feed.isObserved()) {
      feed.onCommitted(entry.index());
    }
    if (stamped) {
      onCommitted(entry);
    }
  }

  // ------------------------------------------------------------------ expiry

  /** Sets what is run, under the lock, when an entry is put that expires. */
  void onDeadline(Runnable task) {
    deadlineTask = task;
  }

  /** Whether some entry expires. */
  boolean hasExpiringEntries() {
    return entries.earliestExpiryMillis() != ExpiryTime.NEVER;
  }

  /** The time of the segment, as far as it is known here. */
  SegmentClock segmentClock() {
    return segmentClock;
  }

  /** The expiry time of a value written now, null for never. */
  @Nullable ExpiryTime expiryTimeFor(Lifetime lifetime) {
    return lifetime.isUnlimited() ? null : lifetime.startingAt(segmentClock.startAndReadMillis());
  }

  /** The next write, which records a read of this same version; null if no record is needed. */
  @Nullable OrderedWrite touchWrite(Entry read, Version next) {
    ExpiryTime expiryTime = read.expiryTime();
    Entry present = find(read);
    if (expiryTime == null || present == null || present.compareVersion(read) != 0) {
      return null;
    }
    long now = segmentClock.startAndReadMillis();
    return expiryTime.needsTouch(now)
        ? new OrderedWrite.TouchWrite(read.withTouch(next, expiryTime.withTouch(now)))
        : null;
  }

  /** The next write, which ends what is due; null if nothing is due. */
  @Nullable OrderedWrite tickWriteIfDue(Version next) {
    long now = segmentClock.readMillis();
    return entries.earliestExpiryMillis() <= now
        ? new OrderedWrite.ExpiryTick(next.epoch(), next.index(), now)
        : null;
  }

  private void applyTick(OrderedWrite.ExpiryTick tick) {
    expiredUntilMillis = Math.max(expiredUntilMillis, tick.segmentMillis());
    if (durability != null) {
      durability.onTick(tick);
    }
    Version end = tick.version();
    for (Entry due; (due = entries.findDue(tick.segmentMillis())) != null; ) {
      if (due.compareVersion(end) >= 0) {
        throw new IllegalStateException(due + " would be ended by an earlier tick, " + tick);
      }
      add(due.toTombstone(end), Cause.EXPIRY);
    }
  }

  /** Adds an entry of an earlier epoch; if a tick would have ended it, adds it as a tombstone. */
  void addTransferred(Entry entry) {
    boolean expired = entry.expiresAtMillis() <= expiredUntilMillis;
    add(expired ? entry.toTombstone(entry.version()) : entry, null);
    onCommitted(entry);
  }

  /**
   * Advances the clock to the time that other nodes know, for a new primary. It never lags behind a
   * tick.
   */
  void advanceClock(long segmentMillis) {
    segmentClock.advanceTo(Math.max(segmentMillis, expiredUntilMillis));
  }

  /** The next write, which removes the entry that goes first; null if there is none. */
  @Nullable OrderedWrite evictionWrite(Version next) {
    Entry victim = account == null ? null : account.pollVictim();
    return victim == null ? null : new OrderedWrite.EvictionWrite(victim.toTombstone(next));
  }

  // ------------------------------------------------------------------ scattered segments

  /** Has the second copies of a scattered segment follow what is applied here. */
  void setCopies(ReplicaCopies value) {
    copies = value;
  }

  /** Whether this is a replica of a scattered segment. */
  boolean isScattered() {
    return copies != null;
  }

  /** Applies a write of which this node holds the second copy. */
  void applyCopy(OrderedWrite write, CopyChain chain) {
    chain
        .replaced()
        .forEach(
            one -> sessions.recordWritten(one.command(), write.epoch(), one.index(), one.result()));
    switch (write) {
      case OrderedWrite.CommandWrite(Entry entry, CommandId command, OperationResult result) -> {
        addCopy(entry);
        sessions.recordWritten(command, entry.epoch(), entry.index(), result);
      }
      case OrderedWrite.EntryWrite other -> addCopy(other.entry());
      case OrderedWrite.ExpiryTick tick ->
          expiredUntilMillis = Math.max(expiredUntilMillis, tick.segmentMillis());
    }
  }

  /** Holds an entry as its second copy, unless a later version is there. */
  void addCopy(Entry entry) {
    Entry present = find(entry);
    if (present != null && present.compareVersion(entry) >= 0) {
      return;
    }
    put(entry);
    onApplied(present, entry);
  }

  /** Drops the second copy of an entry. */
  void dropCopy(Entry entry) {
    if (remove(entry)) {
      onApplied(entry, null);
    }
  }

  /** Purges a tombstone, of which no earlier version is left anywhere. */
  void purgeTombstone(Entry tombstone) {
    feed.onPurged(tombstone.epoch(), tombstone.index());
    dropCopy(tombstone);
  }

  /** Writes the time of the segment, and the results of commands that wrote before an epoch. */
  void writeMetadata(Output out, int before) {
    out.writeVarint(expiredUntilMillis + 1);
    segmentClock.lastWrite().write(out);
    out.writeVarint(segmentClock.readMillis() + 1);
    sessions.write(out, before);
  }

  /** Adds what {@link #writeMetadata} wrote. */
  void mergeMetadata(Input in) {
    expiredUntilMillis = Math.max(expiredUntilMillis, in.readVarint() - 1);
    segmentClock.collect(Version.read(in), in.readVarint() - 1);
    segmentClock.advanceTo(expiredUntilMillis);
    sessions.merge(in);
  }

  /** Ends what is due by the time that others know, and takes over their time. */
  void endCollecting() {
    for (Entry due; (due = entries.findDue(expiredUntilMillis)) != null; ) {
      replaceSameVersion(due, due.toTombstone(due.version()));
    }
    segmentClock.becomeAuthority();
  }

  // ------------------------------------------------------------------ entries

  /**
   * Adds an entry, unless a later version is there.
   *
   * @param cause why the key changes; null if it is fetched, which is no change to observers
   */
  private void add(Entry entry, @Nullable Cause cause) {
    if (!isChangeObserved()) {
      // Nobody asks what was there, so no entry is made of it.
      if (entries.isLatest(entry)) {
        put(entry);
      }
      note(entry);
      return;
    }
    Entry present = find(entry);
    if (present == null || present.compareVersion(entry) < 0) {
      replace(present, entry, cause);
    } else {
      note(entry);
    }
  }

  private boolean isChangeObserved() {
    return entries.keepsEntries()
        || appliedObservers.length > 0
        || copies != null
        || feed.isObserved();
  }

  private void replace(@Nullable Entry present, Entry entry, @Nullable Cause cause) {
    putInPlaceOf(present, entry);
    if (cause != null && feed.isObserved()) {
      feed.onApplied(present, entry, cause);
    }
    onApplied(present, entry);
    note(entry);
  }

  private void note(Entry entry) {
    if (stamped) {
      stampClock.observe(entry.stamp());
    }
    if (entry.isTombstone() && copies == null) {
      tombstones.add(entry);
    }
  }

  /** Replaces an entry by the same version with its value, or without it. */
  void replaceSameVersion(Entry present, Entry replacement) {
    putInPlaceOf(present, replacement);
    onApplied(present, replacement);
  }

  /** Makes a value forgotten before another takes its place: see {@link ValueHints}. */
  private void putInPlaceOf(@Nullable Entry present, Entry entry) {
    if (present != null && entries.keepsEntries()) {
      objectCache.release(present, hints);
    }
    put(entry);
  }

  private void put(Entry entry) {
    long bytes = entries.sizeBytes();
    entries.put(entry);
    countSizeChange(bytes);
    if (entry.expiresAtMillis() != ExpiryTime.NEVER) {
      deadlineTask.run();
    }
  }

  private boolean remove(Entry entry) {
    long bytes = entries.sizeBytes();
    boolean removed = entries.remove(entry);
    countSizeChange(bytes);
    return removed;
  }

  private void countSizeChange(long bytesBefore) {
    long more = entries.sizeBytes() - bytesBefore;
    heapCount.onSizeChange(more);
  }

  private void onApplied(@Nullable Entry before, @Nullable Entry after) {
    for (AppliedObserver observer : appliedObservers) {
      observer.onApplied(before, after);
    }
    if (copies != null) {
      copies.onApplied(before, after);
    }
  }

  /**
   * Keeps the object that was encoded as the value of an entry, which is applied next, if it can.
   */
  void keepWritten(Entry added, @Nullable Object key, Object value, @Nullable Entry replaced) {
    if (entries.keepsEntries() && !added.hasObjectsOnly()) {
      objectCache.keepWritten(added, key, value, replaced, hints);
    }
  }

  /** The objects that a written entry keeps in the place of bytes; null if it keeps bytes. */
  @Nullable EntryObjects objectsOf(CommandDecision decision, byte[] bytes, int keyLength) {
    EntryObjects given = decision.objects();
    return given == null && entries.keepsObjects()
        ? objectCache.objectsOf(bytes, keyLength, decision.keyObject(), decision.writtenObject())
        : given;
  }

  /** Returns an entry for one reader without decoded objects, which nothing would release. */
  Entry releaseDecoded(Entry entry) {
    objectCache.release(entry, null);
    return entry;
  }

  /** Purges tombstones once no older version of their keys can arrive. */
  void purgeTombstones(ReplicaState state, CommitTracker commitTracker) {
    if (tombstones.isEmpty()) {
      return;
    }
    if (!state.isSteady() || !state.isServing() || state.role() == ReplicaRole.JOINER) {
      return;
    }
    int kept = stamped ? MAX_TOMBSTONES : 0;
    for (Entry head;
        tombstones.size() > kept
            && (head = tombstones.peekFirst()) != null
            && commitTracker.isClean(head, state.epoch()); ) {
      feed.onPurged(head.epoch(), head.index());
      if (remove(head)) {
        onApplied(head, null);
      }
      tombstones.removeFirst();
    }
  }

  /**
   * What is left of the writes of an epoch after one index and before another, in their order. The
   * last tick is returned as a tick: a node that takes it over has either all of it on disk or
   * nothing.
   */
  List<OrderedWrite> retainedVersions(int epoch, long after, long before) {
    List<OrderedWrite> left = new ArrayList<>();
    ReplicaHeader.LastTick tick =
        durability == null ? ReplicaHeader.LastTick.NONE : durability.lastTick();
    long tickIndex = tick.version().index();
    if (tick.version().epoch() == epoch && tickIndex > after && tickIndex < before) {
      left.add(new OrderedWrite.ExpiryTick(epoch, tickIndex, tick.segmentMillis()));
    }
    entries.forEach(
        entry -> {
          if (entry.epoch() == epoch && entry.index() > after && entry.index() < before) {
            left.add(new OrderedWrite.RetainedVersion(entry));
          }
        });
    left.sort(Comparator.comparingLong(OrderedWrite::index));
    return left;
  }

  /** The tombstones of one write: a tick makes many. */
  List<OrderedWrite> tombstonesOf(Version version) {
    return tombstones.stream()
        .filter(removed -> removed.compareVersion(version) == 0)
        .<OrderedWrite>map(OrderedWrite.RetainedVersion::new)
        .toList();
  }

  /** Gives back the memory of all entries, of which nobody is told; the rest goes with them. */
  void clearEntries() {
    long bytes = entries.sizeBytes();
    entries.clear();
    countSizeChange(bytes);
    heapCount.clear();
  }

  void clear() {
    for (AppliedObserver observer : appliedObservers) {
      // The disk keeps its entries until the replica is dropped there too.
      if (observer != durability) {
        entries.forEach(observer::onCleared);
      }
    }
    clearEntries();
    if (account != null) {
      account.clear();
    }
    sessions.clear();
    tombstones.clear();
    segmentClock.reset();
    committedStamp = 0;
    expiredUntilMillis = SegmentClock.NOT_STARTED;
  }
}
