package io.cantle.core.scan;

import io.cantle.core.container.SegmentCursor;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.segment.SegmentSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

  private final Map<Integer, List<HashedKey>> bySegment = new HashMap<>();

  public KeyFilter(List<byte[]> keys, long hashSeed, int segmentCount) {
    for (byte[] key : keys) {
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      bySegment
          .computeIfAbsent(KeyHash.segment(hash, segmentCount), segment -> new ArrayList<>())
          .add(new HashedKey(hash, key));
    }
    bySegment.replaceAll((segment, hashedKeys) -> sortDistinct(hashedKeys));
  }

  private static List<HashedKey> sortDistinct(List<HashedKey> keys) {
    keys.sort(ORDER);
    List<HashedKey> distinct = new ArrayList<>(keys.size());
    for (HashedKey key : keys) {
      if (distinct.isEmpty() || ORDER.compare(distinct.getLast(), key) != 0) {
        distinct.add(key);
      }
    }
    return distinct;
  }

  /** The segments that hold a wanted key. */
  SegmentSet segments() {
    BitSet segments = new BitSet();
    bySegment.keySet().forEach(segments::set);
    return SegmentSet.ofBits(segments);
  }

  /** The wanted keys of a segment after a cursor. */
  List<byte[]> keysAfter(int segment, SegmentCursor cursor) {
    return bySegment.getOrDefault(segment, List.of()).stream()
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
