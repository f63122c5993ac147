package io.cantle.simulation;

import io.cantle.core.container.Entry;
import io.cantle.core.store.Copy;
import io.cantle.core.store.Label;
import io.cantle.core.store.Shelf;
import io.cantle.core.store.Store;
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
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a node when its process has died, and found by its next life. What is written
 * takes its time, in order, and is lost if the process dies before; or it gets there all the same,
 * although nobody was told. There are three streams, as in a real store: notes, and segments by
 * their parity. Nothing is known of the order between two of them.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Disk {
  private static final long USUAL_NANOS = 20_000_000;
  private static final long SLOW_NANOS = 600_000_000;
  private static final int SLOW_ONE_IN = 25;
  private static final int OUTLIVES_ONE_IN = 4;
  private static final int MUCH_MEMORY_ONE_IN = 3;

  /** As much as a few dozen entries take. */
  private static final long MEMORY_BYTES = 8_192;

  private static final int SEGMENT_STREAMS = 2;
  private static final int NOTES = SEGMENT_STREAMS;

  private final Scheduler scheduler;
  private final UUID node;
  private final Map<String, byte[]> notes = new HashMap<>();
  private final Map<Long, Segment> segments = new HashMap<>();
  private @Nullable Host user;
  private boolean quick;

  /** An empty disk. */
  Disk(Scheduler scheduler, UUID node) {
    this.scheduler = scheduler;
    this.node = node;
  }

  /** From now on it never takes long. */
  void quicken() {
    quick = true;
  }

  /** What is on it now, on another. */
  Disk copy() {
    Disk copy = new Disk(scheduler, node);
    notes.forEach((name, bytes) -> copy.notes.put(name, bytes.clone()));
    segments.forEach((address, segment) -> copy.segments.put(address, segment.copy()));
    copy.quick = quick;
    return copy;
  }

  /** Which node's it is. */
  UUID node() {
    return node;
  }

  /** What a process sees of it that starts now; there is no other. */
  Store mount(Host host, SplittableRandom random) {
    Host before = user;
    if (before != null && before.alive()) {
      scheduler.fail(host + " starts while " + before + " uses its disk");
    }
    user = host;
    return new Mounted(host, random);
  }

  /** What is on the disk of a segment. */
  private static final class Segment {
    private final Map<ByteBuffer, Entry> entries = new HashMap<>();
    private @Nullable Label label;

    Segment copy() {
      Segment copy = new Segment();
      copy.label = label;
      entries.forEach((key, entry) -> copy.entries.put(key, again(entry)));
      return copy;
    }

    void put(Entry entry) {
      entries.merge(
          key(entry),
          entry,
          (there, more) -> there.compareVersion(more.epoch(), more.index()) > 0 ? there : more);
    }

    void purge(Entry removed) {
      Entry there = entries.get(key(removed));
      if (there != null && there.compareVersion(removed.epoch(), removed.index()) == 0) {
        entries.remove(key(removed));
      }
    }

    private static ByteBuffer key(Entry entry) {
      return ByteBuffer.wrap(entry.bytes(), 0, entry.keyLength()).slice();
    }
  }

  /** An entry belongs to one copy. */
  private static Entry again(Entry entry) {
    return Entry.of(
        entry.hash(),
        entry.bytes(),
        entry.keyLength(),
        entry.epoch(),
        entry.index(),
        entry.tombstone(),
        entry.markedStamp(),
        entry.deadline());
  }

  /** What is written one after the other. */
  private static final class Stream {
    private final ArrayDeque<Long> handedOver = new ArrayDeque<>();
    private long dueNanos;
    private boolean lost;
  }

  /** What a process sees of it. */
  final class Mounted implements Store {
    private final Host host;
    private final SplittableRandom random;

    /** Apart, so that reads do not change what else happens. */
    private final SplittableRandom reads = new SplittableRandom(node.getMostSignificantBits());

    private final long memoryBytes;
    private final Set<Long> taken = new HashSet<>();
    private final Stream[] streams = new Stream[NOTES + 1];
    private long changes;

    Mounted(Host host, SplittableRandom random) {
      this.host = host;
      this.random = random;
      this.memoryBytes =
          reads.nextInt(MUCH_MEMORY_ONE_IN) == 0 ? Long.MAX_VALUE : reads.nextLong(MEMORY_BYTES);
      Arrays.setAll(streams, stream -> new Stream());
    }

    @Override
    public boolean keeps() {
      return true;
    }

    @Override
    public long memoryBytes() {
      return memoryBytes;
    }

    /** The value of a version, if it is the one on disk; null if not. */
    byte @Nullable [] value(int cache, int segment, byte[] key, int epoch, long index) {
      Segment its = segments.get(address(cache, segment));
      Entry there = its == null ? null : its.entries.get(ByteBuffer.wrap(key));
      return there == null || there.compareVersion(epoch, index) != 0
          ? null
          : Arrays.copyOfRange(there.bytes(), there.valueOffset(), there.bytes().length);
    }

    /** Reads overtake writes, and each other. */
    private void read(
        Map<ByteBuffer, Entry> entries, List<Entry> evicted, Consumer<List<@Nullable Entry>> then) {
      boolean slow = reads.nextInt(SLOW_ONE_IN) == 0 && !quick;
      scheduler.at(
          reads.nextLong(slow ? SLOW_NANOS : USUAL_NANOS),
          null,
          () -> {
            if (host == user && host.alive()) {
              List<@Nullable Entry> found = new ArrayList<>();
              for (Entry entry : evicted) {
                Entry there = entries.get(Segment.key(entry));
                found.add(
                    there != null && there.compareVersion(entry.epoch(), entry.index()) == 0
                        ? again(there)
                        : null);
              }
              host.start(Role.TASK, () -> then.accept(found));
            }
          });
    }

    @Override
    public byte @Nullable [] find(String name) {
      byte[] bytes = notes.get(name);
      return bytes == null ? null : bytes.clone();
    }

    @Override
    public long changes() {
      return changes;
    }

    @Override
    public void keep(String name, byte[] bytes, Runnable then) {
      byte[] copy = bytes.clone();
      write(NOTES, () -> notes.put(name, copy), then);
    }

    /** Whatever comes first in a stream is there first: of what is lost all after it is lost. */
    private void write(int number, Runnable what, @Nullable Runnable then) {
      Stream stream = streams[number];
      long now = scheduler.nowNanos();
      boolean slow = random.nextInt(SLOW_ONE_IN) == 0 && !quick;
      long takes = random.nextLong(slow ? SLOW_NANOS : USUAL_NANOS);
      boolean outlives = random.nextInt(OUTLIVES_ONE_IN) == 0;
      // Much is written at once.
      long earliest = random.nextInt(4) == 0 ? now + takes : now;
      stream.dueNanos = Math.max(stream.dueNanos, earliest);
      stream.handedOver.add(now);
      scheduler.at(
          stream.dueNanos - now,
          null,
          () -> {
            stream.handedOver.remove();
            stream.lost |= host != user || (!host.alive() && !outlives);
            if (!stream.lost) {
              what.run();
              if (then != null) {
                host.start(Role.TASK, then);
              }
            }
          });
    }

    @Override
    public Shelf shelf(int cache, int segment) {
      return new SimulatedShelf(this, address(cache, segment), segment % SEGMENT_STREAMS);
    }

    @Override
    public @Nullable Copy take(int cache, int segment) {
      Segment its = segments.get(address(cache, segment));
      if (its == null || its.label == null || !taken.add(address(cache, segment))) {
        return null;
      }
      Copy copy = new Copy(its.label);
      for (Entry entry : its.entries.values()) {
        boolean whole = memoryBytes == Long.MAX_VALUE || entry.tombstone() || reads.nextBoolean();
        copy.add(whole ? again(entry) : entry.evicted());
      }
      return copy;
    }

    @Override
    public void whenFailed(Consumer<Throwable> task) {}

    @Override
    public void close() {}
  }

  private static long address(int cache, int segment) {
    return ((long) cache << Integer.SIZE) | segment;
  }

  private final class SimulatedShelf implements Shelf {
    private final Mounted mounted;
    private final long address;
    private final int stream;

    SimulatedShelf(Mounted mounted, long address, int stream) {
      this.mounted = mounted;
      this.address = address;
      this.stream = stream;
    }

    private Segment its() {
      return segments.computeIfAbsent(address, a -> new Segment());
    }

    @Override
    public Room room() {
      return Room.ALL;
    }

    @Override
    public long behindNanos() {
      Long first = mounted.streams[stream].handedOver.peekFirst();
      return first == null ? 0 : scheduler.nowNanos() - first;
    }

    @Override
    public void put(Entry entry) {
      Entry copy = again(entry);
      mounted.changes++;
      mounted.write(stream, () -> its().put(copy), null);
    }

    @Override
    public void purge(Entry removed) {
      mounted.write(stream, () -> its().purge(removed), null);
    }

    @Override
    public void label(Label label, int epoch, long index) {
      mounted.changes++;
      mounted.write(stream, () -> its().label = label, null);
    }

    @Override
    public void drop() {
      mounted.changes++;
      mounted.write(stream, () -> segments.remove(address), null);
    }

    @Override
    public void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> then, Runnable over) {
      mounted.read(its().entries, evicted, then);
    }

    @Override
    public void fail(Throwable why) {
      scheduler.fail(mounted.host + ": " + why.getMessage());
    }

    @Override
    public void then(Runnable task) {
      mounted.write(stream, () -> {}, task);
    }
  }
}
