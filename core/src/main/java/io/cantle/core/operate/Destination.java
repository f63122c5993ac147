package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.OrphanedCopy;
import io.cantle.core.replica.Result;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Where the entries of a copy go: the cache of that name as the grid has it that goes on. If each
 * side opened one of its own while they were apart it may be cut into other segments than the copy
 * was; entries need none of its definition.
 *
 * <p><b>Threading:</b> that of its caller.
 *
 * @param topology one that has the cache
 * @param cache the place of the cache there
 */
record Destination(CachePlace place, Topology topology, int cache) {
  /** Where the cache is, as soon as it is there. */
  static Destination await(CachePlace place, long deadlineNanos) {
    Topology topology = place.awaitThere(deadlineNanos);
    return new Destination(place, topology, place.in(topology));
  }

  /** In which epochs the segments began that take the entries of a copy. */
  List<Integer> born(OrphanedCopy copy) {
    List<Ownership> segments = topology.caches().get(cache).segments();
    return segments.size() == copy.cache().config().segments()
        ? List.of(segments.get(copy.segment()).born())
        : segments.stream().map(Ownership::born).toList();
  }

  /**
   * Brings an entry in.
   *
   * @param nowMillis the time of the segment it comes from
   */
  Result write(Callers by, Mode mode, OrphanedCopy.Part part, Entry entry, long nowMillis) {
    Deadline deadline = entry.deadline();
    Lifetime left = deadline == null ? Lifetime.UNLIMITED : deadline.left(nowMillis);
    // What has lived its time comes as ended: it has replaced what was there before.
    Slice value =
        entry.tombstone() || left == null
            ? null
            : new Slice(entry.bytes(), entry.valueOffset(), entry.valueLength());
    Merge merge =
        new Merge(
            topology.gridId(),
            born(segment(entry)),
            mode,
            part.isOld(entry),
            part.together(),
            entry.stamp(),
            value);
    Operation limited = value == null || left == null ? merge : Limited.of(merge, left);
    return by.write(place, key(entry), limited, by.deadline());
  }

  /**
   * Whether somebody serves what a copy was compared with. All owners may have gone to a fork and
   * this grid not know it yet: then the segment begins empty, and everything is to be told.
   */
  boolean isServed(Callers by, OrphanedCopy copy) {
    BitSet asked = new BitSet();
    for (Entry entry : copy.entries()) {
      int segment = segment(entry);
      if (!asked.get(segment)) {
        asked.set(segment);
        Merge question =
            Merge.question(topology.gridId(), born(segment), topology.charter().mode());
        if (!by.write(place, key(entry), question, by.deadline()).hasValue()) {
          return false;
        }
      }
    }
    return true;
  }

  private int born(int segment) {
    return topology.ownership(cache, segment).born();
  }

  private int segment(Entry entry) {
    long hash = KeyHash.hash(topology.hashSeed(), entry.bytes(), 0, entry.keyLength());
    return KeyHash.segment(hash, topology.caches().get(cache).definition().config().segments());
  }

  private static byte[] key(Entry entry) {
    return Arrays.copyOf(entry.bytes(), entry.keyLength());
  }
}
