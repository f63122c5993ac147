package io.cantle.simulation;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.persistence.ReplicaHeader;
import io.cantle.core.persistence.ReplicaStore;
import io.cantle.simulation.SimulatedThread.Role;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The disk of a node, which survives its process and is read by its next incarnation. A write takes
 * time, and writes of one stream complete in order. A write in progress is lost if the process
 * dies, or it completes although nobody was told. There are three streams, as in a real store:
 * metadata records, and segments by their parity. The order between two streams is not known.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedNodeStore {
  private static final long USUAL_WRITE_NANOS = 20_000_000;
  private static final long EXACT_WRITE_NANOS = 5_000_000;
  private static final long SLOW_WRITE_NANOS = 600_000_000;
  private static final int SLOW_ONE_IN = 25;
  private static final int SURVIVES_CRASH_ONE_IN = 4;
  private static final int MUCH_MEMORY_ONE_IN = 3;

  /** The space that a few dozen entries take. */
  private static final long MEMORY_BYTES = 8_192;

  private static final int SEGMENT_STREAM_COUNT = 2;
  private static final int NOTE_STREAM = SEGMENT_STREAM_COUNT;

  private final SimulationScheduler scheduler;
  private final UUID node;
  private final Map<String, byte[]> notes = new HashMap<>();
  private final Map<Long, SegmentContents> segments = new HashMap<>();
  private @Nullable SimulatedHost user;
  private boolean fast;
  private boolean exact;

  /** Creates an empty disk. */
  SimulatedNodeStore(SimulationScheduler scheduler, UUID node) {
    this.scheduler = scheduler;
    this.node = node;
  }

  /** From now on no write takes long. */
  void makeFast() {
    fast = true;
  }

  /**
   * From now on each write takes as long as the others and is lost if its process dies meanwhile.
   * Processes that mount it from now on have enough memory for everything.
   */
  void makeExact() {
    exact = true;
    makeFast();
  }

  /** Returns a copy of its present contents, as another disk. */
  SimulatedNodeStore copy() {
    SimulatedNodeStore copy = new SimulatedNodeStore(scheduler, node);
    notes.forEach((name, bytes) -> copy.notes.put(name, bytes.clone()));
    segments.forEach((address, segment) -> copy.segments.put(address, segment.copy()));
    copy.fast = fast;
    return copy;
  }

  /** Returns the node it belongs to. */
  UUID node() {
    return node;
  }

  /** Mounts it for a process that starts now; no other process uses it. */
  NodeStore mount(SimulatedHost host, SplittableRandom random) {
    SimulatedHost before = user;
    if (before != null && before.isAlive()) {
      scheduler.fail(host + " starts while " + before + " uses its disk");
    }
    user = host;
    return new MountedStore(host, random);
  }

  /** The contents of the disk for one segment. */
  private static final class SegmentContents {
    private final Map<ByteBuffer, Entry> entries = new HashMap<>();
    private @Nullable ReplicaHeader header;

    SegmentContents copy() {
      SegmentContents copy = new SegmentContents();
      copy.header = header;
      entries.forEach((key, entry) -> copy.entries.put(key, restored(entry)));
      return copy;
    }

    void put(Entry entry) {
      entries.merge(
          key(entry), entry, (there, more) -> there.compareVersion(more) > 0 ? there : more);
    }

    void purge(Entry removed) {
      Entry there = entries.get(key(removed));
      if (there != null && there.compareVersion(removed) == 0) {
        entries.remove(key(removed));
      }
    }

    private static ByteBuffer key(Entry entry) {
      return ByteBuffer.wrap(entry.bytes(), 0, entry.keyLength()).slice();
    }
  }

  /** Returns a copy of an entry, since an entry belongs to one replica. */
  private static Entry restored(Entry entry) {
    return Entry.of(
        entry.hash(),
        entry.bytes(),
        entry.keyLength(),
        entry.epoch(),
        entry.index(),
        entry.isTombstone(),
        entry.markedStamp(),
        entry.expiryTime());
  }

  /** A sequence of writes that complete one after the other. */
  private static final class WriteStream {
    private final ArrayDeque<Long> submittedCount = new ArrayDeque<>();
    private long dueNanos;
    private boolean lost;
  }

  /** The store as one process sees it. */
  final class MountedStore implements NodeStore {
    private final SimulatedHost host;
    private final SplittableRandom random;

    /** A random generator of its own, so that reads do not change what else happens. */
    private final SplittableRandom reads = new SplittableRandom(node.getMostSignificantBits());

    private final long maxMemoryBytes;
    private final Set<Long> loadedReplicas = new HashSet<>();

    /** The segments that may be on disk, or on their way there. */
    private final TreeSet<Long> keptSegments = new TreeSet<>(segments.keySet());

    private final WriteStream[] streams = new WriteStream[NOTE_STREAM + 1];
    private long changes;

    MountedStore(SimulatedHost host, SplittableRandom random) {
      this.host = host;
      this.random = random;
      this.maxMemoryBytes =
          exact || reads.nextInt(MUCH_MEMORY_ONE_IN) == 0
              ? Long.MAX_VALUE
              : reads.nextLong(MEMORY_BYTES);
      Arrays.setAll(streams, stream -> new WriteStream());
    }

    @Override
    public boolean keepsEntries() {
      return true;
    }

    @Override
    public long maxMemoryBytes() {
      return maxMemoryBytes;
    }

    /** Returns whether something of a cache is on disk. */
    boolean hasCache(int cache) {
      return segments.entrySet().stream()
          .anyMatch(
              segment ->
                  segment.getKey() >> Integer.SIZE == cache
                      && (segment.getValue().header != null
                          || !segment.getValue().entries.isEmpty()));
    }

    /** Returns the value of a version if that is the one on disk, or null if not. */
    byte @Nullable [] value(int cache, int segment, byte[] key, Version version) {
      SegmentContents segmentContents = segments.get(address(cache, segment));
      Entry there =
          segmentContents == null ? null : segmentContents.entries.get(ByteBuffer.wrap(key));
      return there == null || there.compareVersion(version) != 0
          ? null
          : Arrays.copyOfRange(there.bytes(), there.valueOffset(), there.bytes().length);
    }

    /** Reads a value. Reads overtake writes, and each other. */
    private void read(
        Map<ByteBuffer, Entry> entries,
        List<Entry> evicted,
        Consumer<List<@Nullable Entry>> callback) {
      boolean slow = reads.nextInt(SLOW_ONE_IN) == 0 && !fast;
      scheduler.schedule(
          reads.nextLong(slow ? SLOW_WRITE_NANOS : USUAL_WRITE_NANOS),
          null,
          () -> {
            if (host == user && host.isAlive()) {
              List<@Nullable Entry> found = new ArrayList<>();
              for (Entry entry : evicted) {
                Entry there = entries.get(SegmentContents.key(entry));
                found.add(
                    there != null && there.compareVersion(entry) == 0 ? restored(there) : null);
              }
              host.start(Role.TASK, () -> callback.accept(found));
            }
          });
    }

    @Override
    public byte @Nullable [] find(String name) {
      byte[] bytes = notes.get(name);
      return bytes == null ? null : bytes.clone();
    }

    @Override
    public long changeCount() {
      return changes;
    }

    @Override
    public void save(String name, byte[] bytes, Runnable callback) {
      byte[] copy = bytes.clone();
      write(NOTE_STREAM, () -> notes.put(name, copy), callback);
    }

    /**
     * Writes in the order of a stream. If a write is lost, all later writes of its stream are lost.
     */
    private void write(int number, Runnable write, @Nullable Runnable callback) {
      WriteStream stream = streams[number];
      long now = scheduler.nowNanos();
      boolean slow = random.nextInt(SLOW_ONE_IN) == 0 && !fast;
      long takes =
          exact ? EXACT_WRITE_NANOS : random.nextLong(slow ? SLOW_WRITE_NANOS : USUAL_WRITE_NANOS);
      boolean outlives = !exact && random.nextInt(SURVIVES_CRASH_ONE_IN) == 0;
      // One write in four completes together with others.
      long earliest = exact || random.nextInt(4) == 0 ? now + takes : now;
      stream.dueNanos = Math.max(stream.dueNanos, earliest);
      stream.submittedCount.add(now);
      scheduler.schedule(
          stream.dueNanos - now,
          null,
          () -> {
            stream.submittedCount.remove();
            stream.lost |= host != user || (!host.isAlive() && !outlives);
            if (!stream.lost) {
              write.run();
              if (callback != null) {
                host.start(Role.TASK, callback);
              }
            }
          });
    }

    @Override
    public ReplicaStore replicaStore(int cache, int segment) {
      keptSegments.add(address(cache, segment));
      return new SimulatedReplicaStore(
          this, address(cache, segment), segment % SEGMENT_STREAM_COUNT);
    }

    @Override
    public @Nullable LoadedReplica takeLoadedReplica(int cache, int segment) {
      SegmentContents segmentContents = segments.get(address(cache, segment));
      if (segmentContents == null
          || segmentContents.header == null
          || !loadedReplicas.add(address(cache, segment))) {
        return null;
      }
      LoadedReplica loaded = new LoadedReplica(segmentContents.header, new HeapContainer());
      for (Entry entry : segmentContents.entries.values()) {
        boolean whole =
            maxMemoryBytes == Long.MAX_VALUE || entry.isTombstone() || reads.nextBoolean();
        loaded.add(whole ? restored(entry) : entry.withoutValue());
      }
      return loaded;
    }

    @Override
    public void dropReplicas(IntPredicate isDestroyed) {
      keptSegments.removeIf(
          address -> {
            boolean isGone = isDestroyed.test((int) (address >> Integer.SIZE));
            if (isGone) {
              new SimulatedReplicaStore(this, address, address.intValue() % SEGMENT_STREAM_COUNT)
                  .drop();
            }
            return isGone;
          });
    }

    @Override
    public void onFailure(Consumer<Throwable> task) {}

    @Override
    public void close() {}
  }

  private static long address(int cache, int segment) {
    return ((long) cache << Integer.SIZE) | segment;
  }

  private final class SimulatedReplicaStore implements ReplicaStore {
    private final MountedStore mounted;
    private final long address;
    private final int stream;

    SimulatedReplicaStore(MountedStore mounted, long address, int stream) {
      this.mounted = mounted;
      this.address = address;
      this.stream = stream;
    }

    private SegmentContents segmentContents() {
      return segments.computeIfAbsent(address, a -> new SegmentContents());
    }

    @Override
    public WriteAdmission writeAdmission() {
      return WriteAdmission.ALL;
    }

    @Override
    public long lagNanos() {
      Long first = mounted.streams[stream].submittedCount.peekFirst();
      return first == null ? 0 : scheduler.nowNanos() - first;
    }

    @Override
    public void put(Entry entry) {
      Entry copy = restored(entry);
      mounted.changes++;
      mounted.write(stream, () -> segmentContents().put(copy), null);
    }

    @Override
    public void purge(Entry removed) {
      mounted.write(stream, () -> segmentContents().purge(removed), null);
    }

    @Override
    public void writeHeader(ReplicaHeader header, int epoch, long index) {
      mounted.changes++;
      mounted.write(stream, () -> segmentContents().header = header, null);
    }

    @Override
    public void drop() {
      mounted.changes++;
      mounted.write(stream, () -> segments.remove(address), null);
    }

    @Override
    public void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> then, Runnable over) {
      mounted.read(segmentContents().entries, evicted, then);
    }

    @Override
    public void fail(Throwable why) {
      scheduler.fail(mounted.host + ": " + why.getMessage());
    }

    @Override
    public void runOnceOnDisk(Runnable task) {
      mounted.write(stream, () -> {}, task);
    }
  }
}
