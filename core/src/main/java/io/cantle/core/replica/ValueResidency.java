package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Container;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.persistence.ReplicaStore;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which values of a replica are in memory. The value of an evicted entry is on disk only.
 * Before an entry was evicted, all versions handed to the disk had arrived there. A reader that
 * finds an evicted entry therefore finds this version on disk, or the version is not current any
 * more.
 *
 * <p>A lookup by key loads the value into memory again. Scans and transfers read values without
 * loading them; otherwise one scan of a large cache would evict what is in use.
 *
 * <p><b>Threading:</b> any thread; changes are guarded by the lock of the replica. {@link #scan}
 * waits; {@link #evict} is for one thread at a time.
 */
public final class ValueResidency {
  /**
   * The number of entries that a scan reads from disk together. It begins with few: the caller may
   * want no more, and what was read in vain is read again the next time.
   */
  private static final int FIRST_BATCH_ENTRIES = 16;

  private static final int MAX_BATCH_ENTRIES = 256;

  /** The average size of an entry at which a batch ends before its number of entries is reached. */
  private static final long BATCH_BYTES_PER_ENTRY = 4 << 10;

  /** How long a scan continues to read: a remote caller does not wait for ever. */
  private static final long MAX_SCAN_READ_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How long to wait for the disk; after that a scan reports how far it has come. */
  private static final long DISK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How many values are chosen, or evicted, while the lock is held. */
  private static final int MAX_VISITS_PER_LOCK = 256;

  private final Object lock;
  private final ReplicaData data;
  private final Clock clock;

  /** How many places of the queue are to be looked at besides; for the one thread that evicts. */
  private double owedVisits;

  ValueResidency(Object lock, ReplicaData data, Clock clock) {
    this.lock = lock;
    this.data = data;
    this.clock = clock;
  }

  private ReplicaStore requireStore() {
    ReplicaDurability durability = data.durability();
    if (durability == null) {
      throw new IllegalStateException("an entry of a cache without durability is evicted");
    }
    return durability.replicaStore();
  }

  // ------------------------------------------------------------------ back into memory

  /**
   * Loads the value of an entry into memory, unless the entry is not the current version any more.
   * Passes this version on. If the disk has another one by now, passes on what is current, or null
   * if nothing is. With this version a caller can repeat its lookup ({@link Replica#readLocally}),
   * even if the value was evicted again meanwhile.
   *
   * @param onLoaded may run before this call returns; never runs if the store fails
   */
  public void load(Entry evicted, Consumer<@Nullable Entry> onLoaded) {
    read(List.of(evicted), true, all -> onLoaded.accept(all.getFirst()), () -> {});
  }

  /**
   * Waits until the values of entries, which were looked up by key, are in memory. The result has
   * one element for each of them as in {@link #load}; it is null on a timeout, or if the store has
   * failed or closed.
   */
  public @Nullable List<@Nullable Entry> awaitLoaded(List<Entry> requested) {
    return awaitLoaded(requested, DISK_TIMEOUT_NANOS);
  }

  /** Waits at most this many nanoseconds, and no longer than the default timeout. */
  public @Nullable List<@Nullable Entry> awaitLoaded(List<Entry> requested, long nanos) {
    requested.forEach(data.entries()::markUsed);
    return awaitRead(requested, true, Math.min(nanos, DISK_TIMEOUT_NANOS));
  }

  // ------------------------------------------------------------------ for one reader

  /**
   * Reads these entries with their values and passes them on in the same order. An entry that is
   * not the current version any more is replaced by the current one, or by null if there is none,
   * unless the disk still has it.
   *
   * @param keepsInMemory whether the values read stay in memory
   * @param onRead may run before this call returns
   * @param onAbandoned runs instead if nothing can be read any more
   */
  void read(
      List<? extends @Nullable Entry> requested,
      boolean keepsInMemory,
      Consumer<List<@Nullable Entry>> onRead,
      Runnable onAbandoned) {
    List<Entry> evicted = new ArrayList<>();
    for (Entry entry : requested) {
      if (entry != null && entry.isEvicted()) {
        evicted.add(entry);
      }
    }
    if (evicted.isEmpty()) {
      onRead.accept(new ArrayList<>(requested));
      return;
    }
    requireStore()
        .read(
            evicted,
            read -> {
              List<@Nullable Entry> all = merge(requested, read, keepsInMemory);
              if (all == null) {
                onAbandoned.run();
              } else {
                // The current version of a key written meanwhile may have been evicted too.
                read(all, keepsInMemory, onRead, onAbandoned);
              }
            },
            onAbandoned);
  }

  /** Puts the values read in the place of evicted ones; null if the disk has lost one. */
  private @Nullable List<@Nullable Entry> merge(
      List<? extends @Nullable Entry> requested,
      List<@Nullable Entry> read,
      boolean keepsInMemory) {
    List<@Nullable Entry> all = new ArrayList<>(requested.size());
    Iterator<@Nullable Entry> next = read.iterator();
    synchronized (lock) {
      for (Entry entry : requested) {
        if (entry == null || !entry.isEvicted()) {
          all.add(entry);
          continue;
        }
        Entry found = next.next();
        boolean isCurrent = data.entries().contains(entry);
        if (found == null && isCurrent) {
          requireStore().fail(new IllegalStateException("the disk has lost " + entry));
          return null;
        }
        if (found != null && keepsInMemory && isCurrent) {
          data.replaceSameVersion(entry, found);
          all.add(found);
        } else {
          all.add(found != null ? data.releaseDecoded(found) : data.find(entry));
        }
      }
    }
    return all;
  }

  /**
   * Passes on retained versions of earlier writes, with all values; null if one of them was
   * replaced meanwhile, and the caller has to start over.
   *
   * @param onRead may run before this call returns; never runs if the store fails
   */
  public void readWrites(
      List<OrderedWrite> requested, Consumer<@Nullable List<OrderedWrite>> onRead) {
    List<@Nullable Entry> entries = new ArrayList<>();
    for (OrderedWrite write : requested) {
      entries.add(write instanceof OrderedWrite.RetainedVersion(Entry entry) ? entry : null);
    }
    read(entries, false, all -> onRead.accept(withValues(requested, all)), () -> {});
  }

  private static @Nullable List<OrderedWrite> withValues(
      List<OrderedWrite> writes, List<@Nullable Entry> read) {
    List<OrderedWrite> whole = new ArrayList<>(writes.size());
    for (int i = 0; i < writes.size(); i++) {
      OrderedWrite write = writes.get(i);
      if (write instanceof OrderedWrite.RetainedVersion(Entry entry) && entry.isEvicted()) {
        Entry value = read.get(i);
        if (value == null || value.compareVersion(entry) != 0) {
          return null;
        }
        write = new OrderedWrite.RetainedVersion(value);
      }
      whole.add(write);
    }
    return whole;
  }

  /** Waits for the result of {@link #read}; null on a timeout, or if nothing can be read. */
  @Nullable List<@Nullable Entry> awaitRead(
      List<? extends @Nullable Entry> requested, boolean keepsInMemory, long nanos) {
    Signal signal = new Signal();
    AtomicReference<@Nullable List<@Nullable Entry>> answer = new AtomicReference<>();
    read(
        requested,
        keepsInMemory,
        all -> {
          answer.set(all);
          signal.raise();
        },
        signal::raise);
    signal.await(clock, nanos);
    return answer.get();
  }

  /**
   * Visits entries as {@link Container#scan} does; those that are wanted have their values. If the
   * disk does not answer in time, the scan stops before the entries it could not read. If the disk
   * is slow, the scan stops after a while behind what it has read.
   *
   * @param wanted which entries are wanted with their values; null for none
   */
  public SegmentCursor scan(
      SegmentCursor from, @Nullable Predicate<Entry> wanted, Container.EntryVisitor visitor) {
    Container entries = data.entries();
    if (wanted == null) {
      return entries.scanKeys(from, visitor);
    }
    if (data.durability() == null) {
      return entries.scan(from, visitor);
    }
    SegmentCursor at = from;
    long begin = clock.nanoTime();
    for (int maxEntries = FIRST_BATCH_ENTRIES;
        ;
        maxEntries = Math.min(2 * maxEntries, MAX_BATCH_ENTRIES)) {
      boolean[] evicted = new boolean[1];
      at =
          entries.scan(
              at,
              entry -> {
                evicted[0] = entry.isEvicted() && wanted.test(entry);
                return evicted[0] ? VisitResult.STOP_BEFORE : visitor.visit(entry);
              });
      if (!evicted[0]) {
        return at;
      }
      ReadBatch batch = new ReadBatch(wanted, maxEntries);
      SegmentCursor nextCursor = entries.scan(at, batch);
      List<@Nullable Entry> loaded = awaitRead(batch.requested, false, DISK_TIMEOUT_NANOS);
      if (loaded == null) {
        return at;
      }
      for (int i = 0; i < loaded.size(); i++) {
        Entry entry = batch.requested.get(i) == null ? batch.entries.get(i) : loaded.get(i);
        VisitResult visit = entry == null ? VisitResult.CONTINUE : visitor.visit(entry);
        if (visit == VisitResult.STOP_AFTER) {
          return SegmentCursor.after(batch.entries.get(i));
        }
        if (visit == VisitResult.STOP_BEFORE) {
          return i == 0 ? at : SegmentCursor.after(batch.entries.get(i - 1));
        }
      }
      at = nextCursor;
      if (clock.nanoTime() - begin > MAX_SCAN_READ_NANOS) {
        return at;
      }
    }
  }

  /** The next few entries, in memory or not. */
  private static final class ReadBatch implements Container.EntryVisitor {
    private final Predicate<Entry> wanted;
    private final int maxEntries;
    private final List<Entry> entries = new ArrayList<>();

    /** The same entries, with null for those whose values are not wanted. */
    private final List<@Nullable Entry> requested = new ArrayList<>();

    private long bytes;

    ReadBatch(Predicate<Entry> wanted, int maxEntries) {
      this.wanted = wanted;
      this.maxEntries = maxEntries;
    }

    @Override
    public VisitResult visit(Entry entry) {
      boolean isWanted = wanted.test(entry);
      entries.add(entry);
      requested.add(isWanted ? entry : null);
      bytes += isWanted ? entry.valueLength() : 0;
      return entries.size() == maxEntries || bytes >= maxEntries * BATCH_BYTES_PER_ENTRY
          ? VisitResult.STOP_AFTER
          : VisitResult.CONTINUE;
    }
  }

  // ------------------------------------------------------------------ out of memory

  /**
   * The result of choosing values to evict.
   *
   * @param visitedCount how many places of the queue were looked at
   * @param bytes how much memory the eviction will free
   */
  record EvictionChoice(long visitedCount, long bytes) {}

  /** The number of entries, whose values may be in memory or not. */
  int liveCount() {
    return data.entries().liveCount();
  }

  /** The memory that would be free if all values were evicted. */
  long evictableBytes() {
    return requireAccount().liveBytes();
  }

  private EntryAccount requireAccount() {
    EntryAccount account = data.account();
    if (account == null) {
      throw new IllegalStateException("values of a cache without durability are not evicted");
    }
    return account;
  }

  /**
   * Looks at what is on probation beyond its place, and at the next part of the queue besides.
   * Evicts the values that go first, once they are on disk. Those that are used or written
   * meanwhile go back to the queue.
   *
   * @param part how much of the queue, at most 1
   * @param maxVisits the most places to look at
   * @param maxBytes stops once this many bytes are chosen
   * @param onEvicted receives the number of bytes chosen, once they are evicted as far as possible
   */
  EvictionChoice evict(double part, long maxVisits, long maxBytes, LongConsumer onEvicted) {
    EntryAccount account = requireAccount();
    long visits = Math.min(maxVisits, dueVisits(account, part));
    List<Entry> chosen = new ArrayList<>();
    long visitedCount = 0;
    long bytes = 0;
    while (visitedCount < visits && bytes < maxBytes) {
      long end = Math.min(visits, visitedCount + MAX_VISITS_PER_LOCK);
      synchronized (lock) {
        for (; visitedCount < end && bytes < maxBytes; visitedCount++) {
          Entry unused = account.pollUnused();
          if (unused != null) {
            chosen.add(unused);
            bytes += unused.evictableBytes();
          }
        }
      }
    }
    if (!chosen.isEmpty()) {
      long chosenBytes = bytes;
      synchronized (lock) {
        requireStore()
            .runOnceOnDisk(
                () -> {
                  evict(chosen);
                  onEvicted.accept(chosenBytes);
                });
      }
    }
    return new EvictionChoice(visitedCount, bytes);
  }

  /** Of a short queue, a part may be less than one place: it is owed until it is one. */
  private long dueVisits(EntryAccount account, double part) {
    synchronized (lock) {
      owedVisits += part * account.queueLength();
      long owed = (long) owedVisits;
      owedVisits -= owed;
      return account.surplus() + owed;
    }
  }

  /**
   * Evicts values that were chosen, whose versions have reached the disk since. They are many, and
   * writes need the lock too.
   */
  private void evict(List<Entry> chosen) {
    for (int from = 0; from < chosen.size(); from += MAX_VISITS_PER_LOCK) {
      int to = Math.min(from + MAX_VISITS_PER_LOCK, chosen.size());
      synchronized (lock) {
        for (Entry entry : chosen.subList(from, to)) {
          if (data.entries().contains(entry) && !data.entries().isUsed(entry)) {
            data.replaceSameVersion(entry, entry.withoutValue());
          } else {
            requireAccount().takeBack(entry);
          }
        }
      }
    }
  }
}
