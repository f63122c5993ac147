package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.container.SegmentEntries;
import io.cantle.core.container.SegmentEntries.VisitResult;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which values of a copy are in memory. Those of an entry that is evicted are on disk only: before
 * it was evicted, all that had been handed to the disk was there. So whoever finds an evicted entry
 * finds this version on disk, or it is not the present one any more.
 *
 * <p>Who looks keys up has their values brought back. Scans and transfers read values for
 * themselves and leave memory as it is, or one scan of a large cache would evict what is in use.
 *
 * <p><b>Threading:</b> any thread; what is changed is guarded by the lock of the replica. {@link
 * #scan} waits; {@link #evict} is for one thread at a time.
 */
public final class ValueResidency {
  /**
   * How many entries a scan looks at together to read them from disk. It begins with few: whoever
   * scans may want no more, and what was read for nothing is read again the next time.
   */
  private static final int FIRST_BATCH_ENTRIES = 16;

  private static final int MAX_BATCH_ENTRIES = 256;

  /** How many bytes for each entry of a batch end it before. */
  private static final long BATCH_BYTES_PER_ENTRY = 4 << 10;

  /** For how long a scan goes on to read: who asked for it from afar does not wait for ever. */
  private static final long MAX_SCAN_READ_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** For how long the disk is waited for; a scan says then how far it has come. */
  private static final long DISK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How many values go while the lock is held. */
  static final int MAX_EVICTIONS_PER_LOCK = 256;

  private final ReentrantLock lock;
  private final ReplicaData data;
  private final @Nullable ReplicaDurability durability;
  private final Clock clock;

  /** Where the next eviction goes on. */
  private SegmentCursor clockHand = SegmentCursor.START;

  ValueResidency(ReentrantLock lock, ReplicaData data, Clock clock) {
    this.lock = lock;
    this.data = data;
    this.durability = data.durability();
    this.clock = clock;
  }

  private ReplicaDurability requireDurability() {
    ReplicaDurability present = durability;
    if (present == null) {
      throw new IllegalStateException("an entry is evicted that is not kept on disk");
    }
    return present;
  }

  // ------------------------------------------------------------------ back into memory

  /**
   * Has the value of an entry in memory again, unless it is not the present version any more, and
   * hands this version over, or null if the disk has another one by now. Who looks again with that
   * in hand ({@link LocalRead#withValue}) comes further, though the value may have gone once more.
   *
   * @param onRead runs perhaps before this call returns; never, if the store fails
   */
  public void load(Entry evicted, Consumer<@Nullable Entry> onRead) {
    load(evicted, onRead, () -> {});
  }

  private void load(Entry evicted, Consumer<@Nullable Entry> onRead, Runnable onAbandoned) {
    requireDurability()
        .read(
            List.of(evicted),
            read -> {
              Entry same = read.getFirst();
              if (installIfCurrent(evicted, same)) {
                onRead.accept(same);
              } else {
                onAbandoned.run();
              }
            },
            onAbandoned);
  }

  private boolean installIfCurrent(Entry evicted, @Nullable Entry read) {
    lock.lock();
    try {
      if (!isCurrent(evicted)) {
        return true;
      }
      if (read == null) {
        return failLost(evicted);
      }
      read.markUsed();
      data.replaceSameVersion(evicted, read);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * That the disk has answered.
   *
   * @param entry what it has of this version, with its value; null if it has another one by now
   */
  public record DiskAnswer(@Nullable Entry entry) {}

  /** Waits for what {@link #load} hands over; null if the time was up, or the store's is. */
  public @Nullable DiskAnswer awaitLoaded(Entry evicted) {
    return awaitLoaded(evicted, DISK_TIMEOUT_NANOS);
  }

  /** The same, for so many nanoseconds if that is less than the usual time. */
  public @Nullable DiskAnswer awaitLoaded(Entry evicted, long nanos) {
    Signal signal = new Signal();
    AtomicReference<@Nullable DiskAnswer> answer = new AtomicReference<>();
    load(
        evicted,
        read -> {
          answer.set(new DiskAnswer(read));
          signal.raise();
        },
        signal::raise);
    signal.await(clock, Math.min(nanos, DISK_TIMEOUT_NANOS));
    return answer.get();
  }

  @SuppressWarnings("ReferenceEquality") // An entry is put once: it is the one, or another version.
  private boolean isCurrent(Entry entry) {
    return data.find(entry) == entry;
  }

  private boolean failLost(Entry evicted) {
    requireDurability().fail(new IllegalStateException("the disk has lost " + evicted));
    return false;
  }

  // ------------------------------------------------------------------ for one reader

  /**
   * Hands over these entries with their values, in their order. In place of one that is not the
   * present version any more stands the present one, or null if there is none. Memory stays as it
   * is.
   *
   * @param onRead runs perhaps before this call returns; never, if the store fails
   */
  public void readWhole(
      List<? extends @Nullable Entry> requested, Consumer<List<@Nullable Entry>> onRead) {
    readWhole(requested, false, onRead, () -> {});
  }

  /**
   * Hands them over.
   *
   * @param keepsInMemory whether what is read stays in memory
   * @param onAbandoned runs instead if nothing is read any more
   */
  private void readWhole(
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
    } else {
      requireDurability()
          .read(
              evicted,
              read -> readWhole(requested, read, keepsInMemory, onRead, onAbandoned),
              onAbandoned);
    }
  }

  private void readWhole(
      List<? extends @Nullable Entry> requested,
      List<@Nullable Entry> read,
      boolean keepsInMemory,
      Consumer<List<@Nullable Entry>> onRead,
      Runnable onAbandoned) {
    List<@Nullable Entry> all = new ArrayList<>(requested.size());
    Iterator<@Nullable Entry> next = read.iterator();
    lock.lock();
    try {
      for (Entry entry : requested) {
        if (entry == null || !entry.isEvicted()) {
          all.add(entry);
          continue;
        }
        Entry found = next.next();
        if (found == null && isCurrent(entry) && !failLost(entry)) {
          onAbandoned.run();
          return;
        }
        if (found != null && keepsInMemory && isCurrent(entry)) {
          found.markUsed();
          data.replaceSameVersion(entry, found);
          all.add(found);
        } else {
          all.add(found != null ? data.releaseDecoded(found) : data.find(entry));
        }
      }
    } finally {
      lock.unlock();
    }
    // The present version of a key that was written meanwhile may be evicted as well by now.
    readWhole(all, keepsInMemory, onRead, onAbandoned);
  }

  /**
   * Hands over what is left of earlier writes, with all values; null if one of them has been
   * replaced meanwhile: who asked has to ask again.
   *
   * @param onRead runs perhaps before this call returns; never, if the store fails
   */
  public void readWholeWrites(
      List<OrderedWrite> requested, Consumer<@Nullable List<OrderedWrite>> onRead) {
    List<Entry> evicted = new ArrayList<>();
    for (OrderedWrite write : requested) {
      if (write instanceof OrderedWrite.RetainedVersion(Entry entry) && entry.isEvicted()) {
        evicted.add(entry);
      }
    }
    if (evicted.isEmpty()) {
      onRead.accept(requested);
      return;
    }
    readWhole(
        evicted,
        all -> {
          List<OrderedWrite> items = new ArrayList<>(requested.size());
          Iterator<@Nullable Entry> next = all.iterator();
          for (OrderedWrite write : requested) {
            if (!(write instanceof OrderedWrite.RetainedVersion(Entry entry)
                && entry.isEvicted())) {
              items.add(write);
              continue;
            }
            Entry read = next.next();
            if (read == null || read.compareVersion(entry.epoch(), entry.index()) != 0) {
              onRead.accept(null);
              return;
            }
            items.add(new OrderedWrite.RetainedVersion(read));
          }
          onRead.accept(items);
        });
  }

  /** Waits for what {@link #readWhole} hands over; null if the time was up, or the store's is. */
  public @Nullable List<@Nullable Entry> awaitRead(List<? extends @Nullable Entry> requested) {
    return awaitRead(requested, false);
  }

  /**
   * Waits for the same of entries that were looked up by their keys: their values stay in memory.
   */
  public @Nullable List<@Nullable Entry> awaitLoaded(List<Entry> requested) {
    requested.forEach(Entry::markUsed);
    return awaitRead(requested, true);
  }

  private @Nullable List<@Nullable Entry> awaitRead(
      List<? extends @Nullable Entry> requested, boolean keepsInMemory) {
    Signal signal = new Signal();
    AtomicReference<@Nullable List<@Nullable Entry>> answer = new AtomicReference<>();
    readWhole(
        requested,
        keepsInMemory,
        all -> {
          answer.set(all);
          signal.raise();
        },
        signal::raise);
    signal.await(clock, DISK_TIMEOUT_NANOS);
    return answer.get();
  }

  /**
   * Visits entries as {@link SegmentEntries#scan} does, those that are wanted with their values.
   * Where the disk does not answer in time it stops, before what it could not read, and where it is
   * slow after a while, behind what it has.
   */
  public SegmentCursor scan(
      SegmentCursor from, Predicate<Entry> wanted, SegmentEntries.Visitor visitor) {
    SegmentEntries entries = data.entries();
    if (durability == null) {
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
      List<@Nullable Entry> whole = awaitRead(batch.requested);
      if (whole == null) {
        return at;
      }
      for (int i = 0; i < whole.size(); i++) {
        Entry entry = batch.requested.get(i) == null ? batch.entries.get(i) : whole.get(i);
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
  private static final class ReadBatch implements SegmentEntries.Visitor {
    private final Predicate<Entry> wanted;
    private final int maxEntries;
    private final List<Entry> entries = new ArrayList<>();

    /** The same, with null in place of those whose values are not wanted. */
    private final List<@Nullable Entry> requested = new ArrayList<>();

    private long bytes;

    ReadBatch(Predicate<Entry> wanted, int maxEntries) {
      this.wanted = wanted;
      this.maxEntries = maxEntries;
    }

    @Override
    public VisitResult visit(Entry entry) {
      boolean isAsked = wanted.test(entry);
      entries.add(entry);
      requested.add(isAsked ? entry : null);
      bytes += isAsked ? entry.valueLength() : 0;
      return entries.size() == maxEntries || bytes >= maxEntries * BATCH_BYTES_PER_ENTRY
          ? VisitResult.STOP_AFTER
          : VisitResult.CONTINUE;
    }
  }

  // ------------------------------------------------------------------ out of memory

  /**
   * What was chosen to be evicted.
   *
   * @param visitedCount how many entries were looked at
   * @param bytes how much memory that will free
   * @param isEndReached whether the last entry was looked at
   */
  record EvictionChoice(long visitedCount, long bytes, boolean isEndReached) {}

  /**
   * Goes on through the entries and evicts those not used since it came by the last time, once they
   * are on disk.
   *
   * @param maxVisits after how many entries to stop
   * @param maxBytes after how many bytes
   * @param onRead told of how many bytes all has been done that could be
   */
  EvictionChoice evict(long maxVisits, long maxBytes, Consumer<Long> onRead) {
    List<Entry> chosen = new ArrayList<>();
    long[] sums = new long[2];
    clockHand =
        data.entries()
            .scan(
                clockHand,
                entry -> {
                  sums[0]++;
                  long saved = entry.evictableBytes();
                  if (saved > 0 && !entry.testAndClearUsed()) {
                    chosen.add(entry);
                    sums[1] += saved;
                  }
                  return sums[0] >= maxVisits || sums[1] >= maxBytes
                      ? VisitResult.STOP_AFTER
                      : VisitResult.CONTINUE;
                });
    boolean isAll = clockHand.equals(SegmentCursor.END);
    if (isAll) {
      clockHand = SegmentCursor.START;
    }
    if (!chosen.isEmpty()) {
      lock.lock();
      try {
        requireDurability()
            .whenOnDisk(
                () -> {
                  evict(chosen);
                  onRead.accept(sums[1]);
                });
      } finally {
        lock.unlock();
      }
    }
    return new EvictionChoice(sums[0], sums[1], isAll);
  }

  /** What they were has come to disk by now. They are many, and writes want the lock as well. */
  private void evict(List<Entry> chosen) {
    for (int from = 0; from < chosen.size(); from += MAX_EVICTIONS_PER_LOCK) {
      lock.lock();
      try {
        for (Entry entry :
            chosen.subList(from, Math.min(from + MAX_EVICTIONS_PER_LOCK, chosen.size()))) {
          if (isCurrent(entry) && !entry.isUsed()) {
            data.replaceSameVersion(entry, entry.withoutValue());
          }
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
