package io.cantle.core.scan;

import io.cantle.core.container.SegmentCursor;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.segment.SegmentSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The keys that a scan is limited to, by segment and in the order of the segment. A cursor
 * therefore means the same among these keys as among all.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class KeyFilter {
  /** The positions after the keys. */
  private final Map<Integer, TreeSet<SegmentCursor>> bySegment = new HashMap<>();

  public KeyFilter(List<byte[]> keys, long hashSeed, int segmentCount) {
    for (byte[] key : keys) {
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      bySegment
          .computeIfAbsent(KeyHash.segment(hash, segmentCount), segment -> new TreeSet<>())
          .add(SegmentCursor.after(hash, key));
    }
  }

  /** The segments that hold a wanted key. */
  SegmentSet segments() {
    return SegmentSet.of(bySegment.keySet().stream().mapToInt(Integer::intValue).toArray());
  }

  /** The wanted keys of a segment after a cursor. */
  List<byte[]> keysAfter(int segment, SegmentCursor cursor) {
    return bySegment.getOrDefault(segment, new TreeSet<>()).tailSet(cursor, false).stream()
        .map(SegmentCursor::key)
        .toList();
  }
}
