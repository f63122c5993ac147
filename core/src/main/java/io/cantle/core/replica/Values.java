package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Signal;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries;
import io.cantle.core.container.SegmentEntries.Visit;
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
public final class Values {
  /**
   * How many entries a scan looks at together to read them from disk. It begins with few: whoever
   * scans may want no more, and what was read for nothing is read again the next time.
   */
  private static final int FIRST_BATCH = 16;

  private static final int BATCH = 256;

  /** How many bytes for each entry of a batch end it before. */
  private static final long BYTES_EACH = 4 << 10;

  /** For how long a scan goes on to read: who asked for it from afar does not wait for ever. */
  private static final long READING = TimeUnit.MILLISECONDS.toNanos(500);

  /** For how long the disk is waited for; a scan says then how far it has come. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

  /** How many values go while the lock is held. */
  static final int LOCKED = 256;

  private final ReentrantLock lock;
  private final Contents contents;
  private final @Nullable Keeping keeping;
  private final Clock clock;

  /** Where the next eviction goes on. */
  private Cursor hand = Cursor.START;

  Values(ReentrantLock lock, Contents contents, Clock clock) {
    this.lock = lock;
    this.contents = contents;
    this.keeping = contents.keeping();
    this.clock = clock;
  }

  private Keeping disk() {
    Keeping its = keeping;
    if (its == null) {
      throw new IllegalStateException("an entry is evicted that is not kept on disk");
    }
    return its;
  }

  // ------------------------------------------------------------------ back into memory

  /**
   * Has the value of an entry in memory again, unless it is not the present version any more, and
   * hands this version over, or null if the disk has another one by now. Who looks again with that
   * in hand ({@link Peek#with}) comes further, though the value may have gone once more.
   *
   * @param then runs perhaps before this call returns; never, if the store fails
   */
  public void bringBack(Entry evicted, Consumer<@Nullable Entry> then) {
    bringBack(evicted, then, () -> {});
  }

  private void bringBack(Entry evicted, Consumer<@Nullable Entry> then, Runnable over) {
    disk()
        .read(
            List.of(evicted),
            read -> {
              Entry same = read.getFirst();
              if (isBack(evicted, same)) {
                then.accept(same);
              } else {
                over.run();
              }
            },
            over);
  }

  private boolean isBack(Entry evicted, @Nullable Entry read) {
    lock.lock();
    try {
      if (!isPresent(evicted)) {
        return true;
      }
      if (read == null) {
        return lost(evicted);
      }
      read.use();
      contents.exchange(evicted, read);
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
  public record Back(@Nullable Entry entry) {}

  /** Waits for what {@link #bringBack} hands over; null if the time was up, or the store's is. */
  public @Nullable Back awaitBack(Entry evicted) {
    return awaitBack(evicted, PATIENCE);
  }

  /** The same, for so many nanoseconds if that is less than the usual time. */
  public @Nullable Back awaitBack(Entry evicted, long nanos) {
    Signal signal = new Signal();
    AtomicReference<@Nullable Back> answer = new AtomicReference<>();
    bringBack(
        evicted,
        read -> {
          answer.set(new Back(read));
          signal.raise();
        },
        signal::raise);
    signal.await(clock, Math.min(nanos, PATIENCE));
    return answer.get();
  }

  @SuppressWarnings("ReferenceEquality") // An entry is put once: it is the one, or another version.
  private boolean isPresent(Entry entry) {
    return contents.find(entry) == entry;
  }

  private boolean lost(Entry evicted) {
    disk().fail(new IllegalStateException("the disk has lost " + evicted));
    return false;
  }

  // ------------------------------------------------------------------ for one reader

  /**
   * Hands over these entries with their values, in their order. In place of one that is not the
   * present version any more stands the present one, or null if there is none. Memory stays as it
   * is.
   *
   * @param then runs perhaps before this call returns; never, if the store fails
   */
  public void whole(List<? extends @Nullable Entry> some, Consumer<List<@Nullable Entry>> then) {
    whole(some, false, then, () -> {});
  }

  /**
   * Hands them over.
   *
   * @param stays whether what is read stays in memory
   * @param over runs instead if nothing is read any more
   */
  private void whole(
      List<? extends @Nullable Entry> some,
      boolean stays,
      Consumer<List<@Nullable Entry>> then,
      Runnable over) {
    List<Entry> evicted = new ArrayList<>();
    for (Entry entry : some) {
      if (entry != null && entry.isEvicted()) {
        evicted.add(entry);
      }
    }
    if (evicted.isEmpty()) {
      then.accept(new ArrayList<>(some));
    } else {
      disk().read(evicted, read -> whole(some, read, stays, then, over), over);
    }
  }

  private void whole(
      List<? extends @Nullable Entry> some,
      List<@Nullable Entry> read,
      boolean stays,
      Consumer<List<@Nullable Entry>> then,
      Runnable over) {
    List<@Nullable Entry> all = new ArrayList<>(some.size());
    Iterator<@Nullable Entry> next = read.iterator();
    lock.lock();
    try {
      for (Entry entry : some) {
        if (entry == null || !entry.isEvicted()) {
          all.add(entry);
          continue;
        }
        Entry found = next.next();
        if (found == null && isPresent(entry) && !lost(entry)) {
          over.run();
          return;
        }
        if (found != null && stays && isPresent(entry)) {
          found.use();
          contents.exchange(entry, found);
          all.add(found);
        } else {
          all.add(found != null ? contents.apart(found) : contents.find(entry));
        }
      }
    } finally {
      lock.unlock();
    }
    // The present version of a key that was written meanwhile may be evicted as well by now.
    whole(all, stays, then, over);
  }

  /**
   * Hands over what is left of earlier writes, with all values; null if one of them has been
   * replaced meanwhile: who asked has to ask again.
   *
   * @param then runs perhaps before this call returns; never, if the store fails
   */
  public void wholeItems(List<Item> some, Consumer<@Nullable List<Item>> then) {
    List<Entry> evicted = new ArrayList<>();
    for (Item item : some) {
      if (item instanceof Item.Left(Entry entry) && entry.isEvicted()) {
        evicted.add(entry);
      }
    }
    if (evicted.isEmpty()) {
      then.accept(some);
      return;
    }
    whole(
        evicted,
        all -> {
          List<Item> items = new ArrayList<>(some.size());
          Iterator<@Nullable Entry> next = all.iterator();
          for (Item item : some) {
            if (!(item instanceof Item.Left(Entry entry) && entry.isEvicted())) {
              items.add(item);
              continue;
            }
            Entry read = next.next();
            if (read == null || read.compareVersion(entry.epoch(), entry.index()) != 0) {
              then.accept(null);
              return;
            }
            items.add(new Item.Left(read));
          }
          then.accept(items);
        });
  }

  /** Waits for what {@link #whole} hands over; null if the time was up, or the store's is. */
  public @Nullable List<@Nullable Entry> awaitWhole(List<? extends @Nullable Entry> some) {
    return awaitWhole(some, false);
  }

  /**
   * Waits for the same of entries that were looked up by their keys: their values stay in memory.
   */
  public @Nullable List<@Nullable Entry> awaitBack(List<Entry> some) {
    some.forEach(Entry::use);
    return awaitWhole(some, true);
  }

  private @Nullable List<@Nullable Entry> awaitWhole(
      List<? extends @Nullable Entry> some, boolean stays) {
    Signal signal = new Signal();
    AtomicReference<@Nullable List<@Nullable Entry>> answer = new AtomicReference<>();
    whole(
        some,
        stays,
        all -> {
          answer.set(all);
          signal.raise();
        },
        signal::raise);
    signal.await(clock, PATIENCE);
    return answer.get();
  }

  /**
   * Visits entries as {@link SegmentEntries#scan} does, those that are wanted with their values.
   * Where the disk does not answer in time it stops, before what it could not read, and where it is
   * slow after a while, behind what it has.
   */
  public Cursor scan(Cursor from, Predicate<Entry> wanted, SegmentEntries.Visitor visitor) {
    SegmentEntries entries = contents.entries();
    if (keeping == null) {
      return entries.scan(from, visitor);
    }
    Cursor at = from;
    long begin = clock.nanoTime();
    for (int most = FIRST_BATCH; ; most = Math.min(2 * most, BATCH)) {
      boolean[] evicted = new boolean[1];
      at =
          entries.scan(
              at,
              entry -> {
                evicted[0] = entry.isEvicted() && wanted.test(entry);
                return evicted[0] ? Visit.STOP_BEFORE : visitor.visit(entry);
              });
      if (!evicted[0]) {
        return at;
      }
      Batch batch = new Batch(wanted, most);
      Cursor behind = entries.scan(at, batch);
      List<@Nullable Entry> whole = awaitWhole(batch.asked);
      if (whole == null) {
        return at;
      }
      for (int i = 0; i < whole.size(); i++) {
        Entry entry = batch.asked.get(i) == null ? batch.entries.get(i) : whole.get(i);
        Visit visit = entry == null ? Visit.NEXT : visitor.visit(entry);
        if (visit == Visit.STOP_AFTER) {
          return Cursor.after(batch.entries.get(i));
        }
        if (visit == Visit.STOP_BEFORE) {
          return i == 0 ? at : Cursor.after(batch.entries.get(i - 1));
        }
      }
      at = behind;
      if (clock.nanoTime() - begin > READING) {
        return at;
      }
    }
  }

  /** The next few entries, in memory or not. */
  private static final class Batch implements SegmentEntries.Visitor {
    private final Predicate<Entry> wanted;
    private final int most;
    private final List<Entry> entries = new ArrayList<>();

    /** The same, with null in place of those whose values are not wanted. */
    private final List<@Nullable Entry> asked = new ArrayList<>();

    private long bytes;

    Batch(Predicate<Entry> wanted, int most) {
      this.wanted = wanted;
      this.most = most;
    }

    @Override
    public Visit visit(Entry entry) {
      boolean isAsked = wanted.test(entry);
      entries.add(entry);
      asked.add(isAsked ? entry : null);
      bytes += isAsked ? entry.valueLength() : 0;
      return entries.size() == most || bytes >= most * BYTES_EACH ? Visit.STOP_AFTER : Visit.NEXT;
    }
  }

  // ------------------------------------------------------------------ out of memory

  /**
   * What was chosen to be evicted.
   *
   * @param visited how many entries were looked at
   * @param bytes how much memory that will free
   * @param isAll whether the last entry was looked at
   */
  record Chosen(long visited, long bytes, boolean isAll) {}

  /**
   * Goes on through the entries and evicts those not used since it came by the last time, once they
   * are on disk.
   *
   * @param mostVisits after how many entries to stop
   * @param mostBytes after how many bytes
   * @param then told of how many bytes all has been done that could be
   */
  Chosen evict(long mostVisits, long mostBytes, Consumer<Long> then) {
    List<Entry> chosen = new ArrayList<>();
    long[] sums = new long[2];
    hand =
        contents
            .entries()
            .scan(
                hand,
                entry -> {
                  sums[0]++;
                  long saved = entry.evictableBytes();
                  if (saved > 0 && !entry.forgetUse()) {
                    chosen.add(entry);
                    sums[1] += saved;
                  }
                  return sums[0] >= mostVisits || sums[1] >= mostBytes
                      ? Visit.STOP_AFTER
                      : Visit.NEXT;
                });
    boolean isAll = hand.equals(Cursor.END);
    if (isAll) {
      hand = Cursor.START;
    }
    if (!chosen.isEmpty()) {
      lock.lock();
      try {
        disk()
            .then(
                () -> {
                  evict(chosen);
                  then.accept(sums[1]);
                });
      } finally {
        lock.unlock();
      }
    }
    return new Chosen(sums[0], sums[1], isAll);
  }

  /** What they were has come to disk by now. They are many, and writes want the lock as well. */
  private void evict(List<Entry> chosen) {
    for (int from = 0; from < chosen.size(); from += LOCKED) {
      lock.lock();
      try {
        for (Entry entry : chosen.subList(from, Math.min(from + LOCKED, chosen.size()))) {
          if (isPresent(entry) && !entry.isUsed()) {
            contents.exchange(entry, entry.evicted());
          }
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
