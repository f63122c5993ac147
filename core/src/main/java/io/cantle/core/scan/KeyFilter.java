package io.cantle.core.scan;

import io.cantle.core.container.SegmentCursor;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.segment.SegmentSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
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
  private record HashedKey(long hash, byte[] bytes) {}

  private static final Comparator<HashedKey> ORDER =
      (one, other) -> {
        int order = Long.compareUnsigned(one.hash, other.hash);
        return order != 0 ? order : Arrays.compareUnsigned(one.bytes, other.bytes);
      };

  private final Map<Integer, TreeSet<HashedKey>> bySegment = new HashMap<>();

  public KeyFilter(List<byte[]> keys, long hashSeed, int segmentCount) {
    for (byte[] key : keys) {
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      bySegment
          .computeIfAbsent(KeyHash.segment(hash, segmentCount), segment -> new TreeSet<>(ORDER))
          .add(new HashedKey(hash, key));
    }
  }

  /** The segments that hold a wanted key. */
  SegmentSet segments() {
    BitSet segments = new BitSet();
    bySegment.keySet().forEach(segments::set);
    return SegmentSet.ofBits(segments);
  }

  /** The wanted keys of a segment after a cursor. */
  List<byte[]> keysAfter(int segment, SegmentCursor cursor) {
    return bySegment.getOrDefault(segment, new TreeSet<>(ORDER)).stream()
        .filter(key -> isAfter(cursor, key.hash, key.bytes))
        .map(HashedKey::bytes)
        .toList();
  }

  /** Whether a key is after a cursor. */
  static boolean isAfter(SegmentCursor cursor, long hash, byte[] key) {
    return switch (cursor.kind()) {
      case START -> true;
      case AFTER ->
          ORDER.compare(new HashedKey(hash, key), new HashedKey(cursor.hash(), cursor.key())) > 0;
      case END -> false;
    };
  }
}
