package io.cantle.core.persistence;

import io.cantle.core.base.ManualClock;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory for tests. A test decides when writes reach its disk, and a power cut loses
 * those that have not.
 */
public final class ManualNodeStore implements NodeStore {
  private static final class Segment {
    @Nullable ReplicaHeader header;
    final Map<String, Entry> entries = new TreeMap<>();
  }

  private static final int ADDRESSES = 100_000;

  private final Map<Integer, Segment> disk = new HashMap<>();
  private final Map<String, byte[]> notes = new HashMap<>();
  private final Map<String, byte[]> found = new HashMap<>();
  private final Queue<Runnable> pendingWrites = new ConcurrentLinkedQueue<>();
  private final List<Integer> tasks = new ArrayList<>();

  private @Nullable Consumer<Throwable> failureListener;
  private volatile boolean flushesAutomatically;

  /** Whether replica stores say that the disk is full. */
  public boolean diskFull;

  /** The lag that replica stores report for the oldest write in flight. */
  public long lagNanos;

  /** How many bytes of the stored entries may be in memory. */
  public long maxMemoryBytes = Long.MAX_VALUE;

  /** The number of entries read. */
  public int readCount;

  /** Collects reads for the test to run; if null, they run at once. */
  public @Nullable List<Runnable> slowReads;

  /** Whether reads are no longer served. */
  public boolean readsEnded;

  /** What replica stores admit, unless the disk is full. */
  public ReplicaStore.WriteAdmission admission = ReplicaStore.WriteAdmission.ALL;

  /** A store none of whose values may stay in memory. */
  public static ManualNodeStore withoutMemory() {
    ManualNodeStore store = new ManualNodeStore();
    store.maxMemoryBytes = 0;
    return store;
  }

  /** Runs what is due at a clock, and the disk, until both have nothing left to do. */
  public void runAll(ManualClock clock) {
    for (int i = 0; i < 10; i++) {
      flushPending();
      clock.advance(1);
    }
  }

  /** Writes everything to disk, and runs the callbacks. */
  public void flushPending() {
    for (Runnable next; (next = pendingWrites.poll()) != null; ) {
      next.run();
    }
  }

  /** Writes the next few records to disk, as far as there are any, and runs the callbacks. */
  public void flushPending(int records) {
    for (int i = 0; i < records; i++) {
      Runnable next = pendingWrites.poll();
      if (next != null) {
        next.run();
      }
    }
  }

  /** From now on writes everything to disk at once, on a thread of its own. */
  public void flushAlways() {
    flushesAutomatically = true;
    Thread.ofVirtual()
        .start(
            () -> {
              while (flushesAutomatically) {
                synchronized (this) {
                  flushPending();
                }
                LockSupport.parkNanos(1_000_000);
              }
            });
  }

  /** Stops writing to disk. */
  public void stop() {
    synchronized (this) {
      flushesAutomatically = false;
    }
  }

  /** Has the disk fail. */
  public void fail(Throwable why) {
    Objects.requireNonNull(failureListener).accept(why);
  }

  /** Has the disk lose the value of a key. */
  public void loseValue(int cache, int segment, String key) {
    Objects.requireNonNull(disk.get(address(cache, segment))).entries.remove(key);
  }

  /** Cuts the power: a restarted node finds what is on disk. */
  public void cutPower() {
    pendingWrites.clear();
    tasks.clear();
    found.clear();
    found.putAll(notes);
  }

  /**
   * The contents of a segment on disk: sorted "key=value" and "key-"; null if there is no replica.
   */
  public @Nullable List<String> contents(int cache, int segment) {
    Segment its = disk.get(address(cache, segment));
    return its == null
        ? null
        : its.entries.values().stream()
            .map(
                entry -> {
                  String both = new String(entry.bytes(), StandardCharsets.UTF_8);
                  String key = both.substring(0, entry.keyLength());
                  return entry.isTombstone() ? key + "-" : key + "=" + both.substring(key.length());
                })
            .toList();
  }

  private static int address(int cache, int segment) {
    return cache * ADDRESSES + segment;
  }

  @Override
  public boolean keepsEntries() {
    return true;
  }

  @Override
  public long maxMemoryBytes() {
    return maxMemoryBytes;
  }

  @Override
  public ReplicaStore replicaStore(int cache, int segment) {
    int address = address(cache, segment);
    return new ReplicaStore() {
      private Segment its() {
        return disk.computeIfAbsent(address, a -> new Segment());
      }

      @Override
      public long lagNanos() {
        return lagNanos;
      }

      @Override
      public WriteAdmission writeAdmission() {
        return diskFull ? WriteAdmission.DELAYED : admission;
      }

      @Override
      public void put(Entry entry) {
        Entry copy = copyOf(entry);
        pendingWrites.add(
            () -> its().entries.merge(key(copy), copy, (a, b) -> a.compareVersion(b) > 0 ? a : b));
      }

      @Override
      public void purge(Entry removed) {
        pendingWrites.add(
            () -> {
              Entry there = its().entries.get(key(removed));
              if (there != null && there.compareVersion(removed) == 0) {
                its().entries.remove(key(removed));
              }
            });
      }

      @Override
      public void writeHeader(ReplicaHeader header, int epoch, long index) {
        pendingWrites.add(() -> its().header = header);
      }

      @Override
      public void drop() {
        pendingWrites.add(() -> disk.remove(address));
      }

      @Override
      public void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> then, Runnable over) {
        if (readsEnded) {
          over.run();
          return;
        }
        readCount += evicted.size();
        if (slowReads == null) {
          then.accept(found(evicted));
        } else {
          slowReads.add(() -> then.accept(found(evicted)));
        }
      }

      private List<@Nullable Entry> found(List<Entry> evicted) {
        List<@Nullable Entry> found = new ArrayList<>();
        for (Entry entry : evicted) {
          Entry there = its().entries.get(key(entry));
          found.add(there != null && there.compareVersion(entry) == 0 ? copyOf(there) : null);
        }
        return found;
      }

      @Override
      public void fail(Throwable why) {
        ManualNodeStore.this.fail(why);
      }

      @Override
      public void runOnceOnDisk(Runnable task) {
        pendingWrites.add(task);
      }
    };
  }

  private static String key(Entry entry) {
    return new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
  }

  private static Entry copyOf(Entry entry) {
    return StoredEntryCodec.decodeEntry(StoredEntryCodec.encodeEntry(entry));
  }

  @Override
  public @Nullable LoadedReplica takeLoadedReplica(int cache, int segment) {
    int address = address(cache, segment);
    Segment its = disk.get(address);
    if (its == null || its.header == null || tasks.contains(address)) {
      return null;
    }
    tasks.add(address);
    LoadedReplica loaded = new LoadedReplica(its.header, new HeapContainer());
    long bytes = 0;
    for (Entry entry : its.entries.values()) {
      bytes += entry.sizeBytes();
      boolean fits = bytes <= maxMemoryBytes || entry.isTombstone();
      loaded.add(fits ? copyOf(entry) : entry.withoutValue());
    }
    return loaded;
  }

  @Override
  public void dropReplicas(IntPredicate isDestroyed) {
    pendingWrites.add(
        () -> disk.keySet().removeIf(address -> isDestroyed.test(address / ADDRESSES)));
  }

  @Override
  public void onFailure(Consumer<Throwable> task) {
    failureListener = task;
  }

  @Override
  public byte @Nullable [] find(String name) {
    return found.get(name);
  }

  @Override
  public void save(String name, byte[] bytes, Runnable then) {
    found.put(name, bytes);
    pendingWrites.add(
        () -> {
          notes.put(name, bytes);
          then.run();
        });
  }

  @Override
  public void close() {}
}
