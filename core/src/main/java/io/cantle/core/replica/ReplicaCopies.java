package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.AppliedObserver;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.replica.CopyTable.EntryKey;
import io.cantle.core.replica.CopyTable.KeyCopies;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The second copies of a scattered segment. At the primary: which member holds the copy of each
 * entry ({@link CopyTable}), which entries need another holder, and which copies are to be dropped.
 * At a holder: the copies, which are the entries of its replica.
 *
 * <p><b>Copies that are needed.</b> An entry needs a holder if its holder is gone, if it was held
 * by this node until it became the primary, or if its last write was not committed when an epoch
 * began. It is then sent to one of the holders in a {@link CopyUpdate}.
 *
 * <p><b>Copies that are not needed.</b> A write moves the copy of its key to another holder. The
 * former holder is told to drop its copy once the write is committed. Before it has confirmed that,
 * a tombstone of the key stays, here and at its holder: otherwise the former copy would bring the
 * key back if this node dies.
 *
 * <p><b>Threading:</b> any thread; guarded by the monitor of the replica.
 */
public final class ReplicaCopies implements AppliedObserver {
  /** The most bytes of entries, and the most keys to drop, in an update. */
  private static final int MAX_UPDATE_BYTES = 48 << 10;

  private static final int MAX_DROPS = 1_000;

  private final Replica replica;
  private final ReplicaData data;

  @GuardedBy("replica")
  private final CopyTable table = new CopyTable();

  /** The keys without a holder. */
  @GuardedBy("replica")
  private final Set<EntryKey> underReplicated = new LinkedHashSet<>();

  /** The keys without a holder whose last write was not committed when the epoch began. */
  @GuardedBy("replica")
  private final Set<EntryKey> uncommitted = new LinkedHashSet<>();

  @GuardedBy("replica")
  private final Map<Member, HolderQueue> queues = new TreeMap<>();

  /** The member that is sent the results of commands in this epoch; null if none is needed. */
  @GuardedBy("replica")
  private @Nullable Member metadataHolder;

  @GuardedBy("replica")
  private boolean metadataHeld;

  /** Whether all members have entered the epoch, so that holders are told something. */
  @GuardedBy("replica")
  private boolean isUpdating;

  /** Run when holders are to be told something, with the monitor held. */
  @GuardedBy("replica")
  private Runnable onUpdatesDue = () -> {};

  /** Whether some holders count only until this node has opened the epoch. */
  @GuardedBy("replica")
  private boolean isDraining;

  /** The holder of the write that is being applied. */
  @GuardedBy("replica")
  private @Nullable Member writeHolder;

  @GuardedBy("replica")
  private boolean isWriting;

  @GuardedBy("replica")
  private boolean isTicking;

  /** The keys that a write has left copies of, with its index. */
  @GuardedBy("replica")
  private final ArrayDeque<ObsoleteCopies> obsolete = new ArrayDeque<>();

  /** At a holder: the number of the last update of the epoch. */
  @GuardedBy("replica")
  private long lastUpdate;

  private record ObsoleteCopies(long index, EntryKey key) {}

  /** What a holder is to be told. */
  private static final class HolderQueue {
    final Set<EntryKey> copies = new LinkedHashSet<>();

    /** The former copies, each up to the version that was certainly sent and is superseded. */
    final Map<EntryKey, Version> drops = new LinkedHashMap<>();

    final Map<EntryKey, Version> purges = new LinkedHashMap<>();

    /** The purges of the update that is in flight. */
    Map<EntryKey, Version> sentPurges = Map.of();

    long number;
    @Nullable CopyUpdate inFlight;
    long sentNanos;
    boolean isResent;

    boolean isEmpty() {
      return copies.isEmpty() && drops.isEmpty() && purges.isEmpty();
    }
  }

  ReplicaCopies(Replica replica, ReplicaData data) {
    this.replica = replica;
    this.data = data;
  }

  // ------------------------------------------------------------------ epochs

  /**
   * Follows the replica into an epoch of a scattered segment.
   *
   * @param open the writes of the last epoch that are not known to be committed
   */
  void onEpochEntered(ReplicaState state, SegmentOwnership ownership, List<OrderedWrite> open) {
    synchronized (replica) {
      lastUpdate = 0;
      isUpdating = false;
      isDraining = ownership.isOpeningAwaited();
      uncommitted.clear();
      obsolete.clear();
      Map<Member, HolderQueue> before = new TreeMap<>(queues);
      queues.clear();
      if (state.role() != ReplicaRole.PRIMARY || ownership.isUnconfirmed()) {
        table.clear();
        underReplicated.clear();
      } else {
        dismissHolders(state, ownership, open);
      }
      if (state.role() == ReplicaRole.PRIMARY) {
        beginQueues(state, before);
      }
    }
  }

  @GuardedBy("replica")
  private void dismissHolders(
      ReplicaState state, SegmentOwnership ownership, List<OrderedWrite> open) {
    for (KeyCopies copies : table.all()) {
      copies.retainFormerHolders(member -> ownership.findHolder(member) != null);
      Member holder = copies.holder();
      if (holder != null && !state.others().contains(holder)) {
        copies.dismissHolder();
        underReplicated.add(copies.key);
      }
    }
    for (OrderedWrite write : open) {
      if (write instanceof OrderedWrite.EntryWrite one) {
        KeyCopies copies = table.find(one.entry());
        if (copies != null && copies.version().equals(write.version())) {
          copies.dismissHolder();
          underReplicated.add(copies.key);
          uncommitted.add(copies.key);
        }
      }
    }
  }

  @GuardedBy("replica")
  private void beginQueues(ReplicaState state, Map<Member, HolderQueue> before) {
    for (Member other : state.others()) {
      HolderQueue queue = new HolderQueue();
      HolderQueue old = before.get(other);
      if (old != null) {
        queue.purges.putAll(old.purges);
        queue.purges.putAll(old.sentPurges);
      }
      queues.put(other, queue);
    }
    metadataHolder = state.others().isEmpty() ? null : state.others().getFirst();
    metadataHeld = state.others().isEmpty();
    assignUnderReplicated();
  }

  /** Has each entry without a holder sent to one of the holders, in turn. */
  @GuardedBy("replica")
  private void assignUnderReplicated() {
    if (queues.isEmpty()) {
      return;
    }
    List<HolderQueue> all = List.copyOf(queues.values());
    int next = 0;
    for (EntryKey key : underReplicated) {
      if (queues.values().stream().noneMatch(queue -> queue.copies.contains(key))) {
        all.get(next % all.size()).copies.add(key);
        next++;
      }
    }
  }

  /** Looks for what may be dropped, once the epoch is served: earlier versions are committed. */
  void onServed() {
    synchronized (replica) {
      for (KeyCopies copies : table.all()) {
        dropObsolete(copies);
      }
    }
  }

  /** Follows a topology that confirms that this node has opened the epoch. */
  void onTopology(SegmentOwnership ownership) {
    synchronized (replica) {
      if (isDraining
          && replica.state().epoch() == ownership.epoch()
          && !ownership.isOpeningAwaited()) {
        isDraining = false;
        for (KeyCopies copies : table.all()) {
          Set<Member> remaining = Set.copyOf(queues.keySet());
          copies.retainFormerHolders(remaining::contains);
          dropObsolete(copies);
        }
      }
    }
  }

  /** Has something run, with the monitor held, when there may be more to tell holders. */
  public void runWhenUpdatesDue(Runnable action) {
    synchronized (replica) {
      onUpdatesDue = action;
    }
  }

  /** Begins to tell the holders what they are to hold: all have entered the epoch. */
  public void beginUpdates(int epoch) {
    synchronized (replica) {
      isUpdating = replica.state().epoch() == epoch;
    }
  }

  /** Whether the epoch may be served, or reported as opened if it is not confirmed yet. */
  public boolean isReady(int epoch) {
    synchronized (replica) {
      return replica.state().epoch() == epoch
          && (queues.isEmpty() || (metadataHeld && uncommitted.isEmpty()));
    }
  }

  /** Whether everything has a holder, if there is any. */
  public boolean isComplete(int epoch) {
    synchronized (replica) {
      return isReady(epoch) && (queues.isEmpty() || underReplicated.isEmpty());
    }
  }

  // ------------------------------------------------------------------ writes of the primary

  /** Begins to apply a write that a holder is to have. */
  void beginWrite(OrderedWrite write, @Nullable Member holder) {
    synchronized (replica) {
      isWriting = true;
      isTicking = write instanceof OrderedWrite.ExpiryTick;
      writeHolder = holder;
    }
  }

  void endWrite() {
    synchronized (replica) {
      isWriting = false;
      writeHolder = null;
    }
  }

  /** The member that holds the present version of a key; null for none. */
  @Nullable Member holderOf(Entry written) {
    synchronized (replica) {
      KeyCopies copies = table.find(written);
      return copies == null ? null : copies.holder();
    }
  }

  @Override
  public void onApplied(@Nullable Entry before, @Nullable Entry after) {
    synchronized (replica) {
      if (!isWriting || after == null) {
        return;
      }
      KeyCopies copies = table.getOrCreate(after);
      if (isTicking) {
        copies.end(after.version());
      } else {
        copies.replace(after.version(), writeHolder);
        uncommitted.remove(copies.key);
        if (writeHolder == null) {
          underReplicated.add(copies.key);
        } else {
          underReplicated.remove(copies.key);
        }
      }
      if (after.isTombstone() || !copies.formerHolders().isEmpty()) {
        obsolete.add(new ObsoleteCopies(after.index(), copies.key));
      }
    }
  }

  @Override
  public void onCleared(Entry entry) {
    // The table is cleared when the next epoch is entered.
  }

  /** Notes how far the writes of the epoch are committed. */
  void onCommitted(long index) {
    synchronized (replica) {
      for (ObsoleteCopies first; (first = obsolete.peekFirst()) != null && first.index <= index; ) {
        obsolete.removeFirst();
        KeyCopies copies = table.find(first.key);
        if (copies != null) {
          dropObsolete(copies);
        }
      }
    }
  }

  /**
   * Has former copies of a key dropped, or its tombstone if there are none, provided that its
   * present version is committed.
   */
  @GuardedBy("replica")
  private void dropObsolete(KeyCopies copies) {
    Entry present = data.find(copies.key.hash(), copies.key.bytes(), 0, copies.key.bytes().length);
    ReplicaState state = replica.state();
    if (present == null || !state.isActivePrimary() || !replica.isClean(present, state.epoch())) {
      return;
    }
    if (underReplicated.contains(copies.key) && !queues.isEmpty()) {
      // The former copies stay until the new one is there.
      return;
    }
    for (Map.Entry<Member, Version> former : copies.formerHolders().entrySet()) {
      HolderQueue queue = queues.get(former.getKey());
      if (queue != null) {
        queue.drops.put(copies.key, former.getValue());
      }
      onUpdatesDue.run();
    }
    if (present.isTombstone() && copies.formerHolders().isEmpty()) {
      Member holder = copies.holder();
      HolderQueue queue = holder == null ? null : queues.get(holder);
      if (queue != null) {
        queue.purges.put(copies.key, present.version());
      }
      onUpdatesDue.run();
      underReplicated.remove(copies.key);
      table.remove(copies.key);
      data.purgeTombstone(present);
    }
  }

  // ------------------------------------------------------------------ updates to holders

  /** The holders that are to be told something. */
  public List<Member> holdersToUpdate() {
    synchronized (replica) {
      if (!isUpdating) {
        return List.of();
      }
      List<Member> holders = new ArrayList<>();
      for (Map.Entry<Member, HolderQueue> one : queues.entrySet()) {
        HolderQueue queue = one.getValue();
        boolean needsMetadata = !metadataHeld && one.getKey().equals(metadataHolder);
        if (queue.inFlight != null || !queue.isEmpty() || needsMetadata) {
          holders.add(one.getKey());
        }
      }
      return holders;
    }
  }

  /**
   * The next update to a holder; null if there is none, or the last one was sent a short while ago.
   */
  public @Nullable CopyUpdate nextUpdate(Member holder, int epoch, long now, long resendNanos) {
    synchronized (replica) {
      HolderQueue queue = replica.state().epoch() == epoch ? queues.get(holder) : null;
      if (queue == null || !isUpdating) {
        return null;
      }
      CopyUpdate sent = queue.inFlight;
      if (sent != null) {
        boolean isDue = now - queue.sentNanos >= resendNanos;
        queue.sentNanos = isDue ? now : queue.sentNanos;
        queue.isResent |= isDue;
        return isDue ? sent : null;
      }
      boolean withMetadata = !metadataHeld && holder.equals(metadataHolder);
      if (queue.isEmpty() && !withMetadata) {
        return null;
      }
      CopyUpdate next = newUpdate(holder, queue, withMetadata);
      queue.inFlight = next;
      queue.isResent = false;
      queue.sentNanos = now;
      return next;
    }
  }

  /** Whether the update that is in flight to a holder was sent more than once. */
  public boolean isResent(Member holder) {
    synchronized (replica) {
      HolderQueue queue = queues.get(holder);
      return queue != null && queue.isResent;
    }
  }

  @GuardedBy("replica")
  private CopyUpdate newUpdate(Member holder, HolderQueue queue, boolean withMetadata) {
    List<Entry> copies = new ArrayList<>();
    int bytes = 0;
    for (EntryKey key; bytes < MAX_UPDATE_BYTES && (key = pollFirst(queue.copies)) != null; ) {
      KeyCopies known = table.find(key);
      Entry entry = data.find(key.hash(), key.bytes(), 0, key.bytes().length);
      if (known != null && entry != null && underReplicated.contains(key)) {
        known.addFormerHolder(holder, entry.version());
        copies.add(entry);
        bytes += entry.bytes().length;
      }
    }
    List<CopyUpdate.CopyDrop> drops = new ArrayList<>();
    for (var left = queue.drops.entrySet().iterator();
        drops.size() < MAX_DROPS && left.hasNext(); ) {
      Map.Entry<EntryKey, Version> drop = left.next();
      EntryKey key = drop.getKey();
      KeyCopies known = table.find(key);
      if (known != null && known.formerHolders().containsKey(holder)) {
        drops.add(new CopyUpdate.CopyDrop(key.hash(), key.bytes(), drop.getValue()));
      }
      left.remove();
    }
    Map<EntryKey, Version> purges = new LinkedHashMap<>();
    for (var left = queue.purges.entrySet().iterator();
        drops.size() < MAX_DROPS && left.hasNext(); ) {
      Map.Entry<EntryKey, Version> purge = left.next();
      EntryKey key = purge.getKey();
      purges.put(key, purge.getValue());
      drops.add(new CopyUpdate.CopyDrop(key.hash(), key.bytes(), purge.getValue()));
      left.remove();
    }
    queue.sentPurges = purges;
    byte[] metadata = null;
    if (withMetadata) {
      Output out = new Output(64);
      data.writeMetadata(out, replica.state().epoch());
      metadata = out.toByteArray();
    }
    queue.number++;
    return new CopyUpdate(queue.number, copies, drops, metadata);
  }

  private static @Nullable EntryKey pollFirst(Set<EntryKey> keys) {
    for (var iterator = keys.iterator(); iterator.hasNext(); ) {
      EntryKey first = iterator.next();
      iterator.remove();
      return first;
    }
    return null;
  }

  /** Handles a holder's answer that it has applied an update. */
  public void onUpdated(Member holder, int epoch, long number) {
    synchronized (replica) {
      HolderQueue queue = replica.state().epoch() == epoch ? queues.get(holder) : null;
      CopyUpdate sent = queue == null ? null : queue.inFlight;
      if (queue == null || sent == null || sent.number() != number) {
        return;
      }
      queue.inFlight = null;
      queue.sentPurges = Map.of();
      metadataHeld |= sent.metadata() != null;
      for (Entry copy : sent.copies()) {
        KeyCopies copies = table.find(copy);
        if (copies == null) {
          continue;
        }
        if (underReplicated.contains(copies.key) && copies.version().equals(copy.version())) {
          copies.setHolder(holder);
          underReplicated.remove(copies.key);
          uncommitted.remove(copies.key);
        } else if (underReplicated.contains(copies.key)) {
          queue.copies.add(copies.key);
        }
        dropObsolete(copies);
      }
      for (CopyUpdate.CopyDrop drop : sent.drops()) {
        KeyCopies copies = table.find(new EntryKey(drop.hash(), drop.key()));
        if (copies != null) {
          copies.onDropped(holder, drop.upTo());
          dropObsolete(copies);
        }
      }
    }
  }

  // ------------------------------------------------------------------ the holder's side

  /** Applies an update of the primary. Returns whether it is applied, now or earlier. */
  public boolean applyUpdate(int epoch, CopyUpdate update) {
    synchronized (replica) {
      ReplicaState state = replica.state();
      if (state.epoch() != epoch || state.role() != ReplicaRole.HOLDER) {
        return false;
      }
      if (update.number() > lastUpdate) {
        lastUpdate = update.number();
        for (CopyUpdate.CopyDrop drop : update.drops()) {
          Entry held = data.find(drop.hash(), drop.key(), 0, drop.key().length);
          if (held != null && held.compareVersion(drop.upTo()) <= 0) {
            data.dropCopy(held);
          }
        }
        update.copies().forEach(data::addCopy);
        byte[] metadata = update.metadata();
        if (metadata != null) {
          data.mergeMetadata(new Input(metadata, 0, metadata.length));
        }
      }
      return true;
    }
  }

  /** Writes what a new primary needs besides entries; false if the epoch is not the present one. */
  public boolean writeMetadata(int epoch, Output out) {
    synchronized (replica) {
      boolean isPresent = replica.state().epoch() == epoch;
      if (isPresent) {
        data.writeMetadata(out, epoch);
      }
      return isPresent;
    }
  }

  // ------------------------------------------------------------------ collecting

  /** Adds what a member holds, as the new primary. */
  public boolean collect(Member from, int epoch, List<Entry> entries, @Nullable Input metadata) {
    synchronized (replica) {
      if (!isCollecting(epoch)) {
        return false;
      }
      if (metadata != null) {
        data.mergeMetadata(metadata);
      }
      for (Entry entry : entries) {
        Version version = entry.version();
        table.getOrCreate(entry).addFormerHolder(from, version);
        data.addTransferred(entry);
      }
      return true;
    }
  }

  private boolean isCollecting(int epoch) {
    ReplicaState state = replica.state();
    return state.epoch() == epoch && state.role() == ReplicaRole.PRIMARY && !state.isServing();
  }

  /** Finds a holder for each entry, once everything is collected. */
  public void finishCollecting(int epoch) {
    synchronized (replica) {
      if (!isCollecting(epoch)) {
        return;
      }
      data.endCollecting();
      for (Entry entry : data.entries().toList()) {
        KeyCopies copies = table.getOrCreate(entry);
        Member holder = null;
        for (Map.Entry<Member, Version> former : copies.formerHolders().entrySet()) {
          if (former.getValue().equals(entry.version()) && queues.containsKey(former.getKey())) {
            holder = former.getKey();
          }
        }
        copies.replace(entry.version(), holder);
        if (holder == null) {
          underReplicated.add(copies.key);
        }
      }
      assignUnderReplicated();
      isUpdating = true;
    }
  }
}
