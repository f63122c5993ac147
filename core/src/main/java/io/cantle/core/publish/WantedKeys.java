package io.cantle.core.publish;

import io.cantle.core.container.Cursor;
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
 * The keys a scan is limited to, by segment, in the order of the segment: so a cursor means the
 * same among them as among all.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WantedKeys {
  private record Key(long hash, byte[] bytes) {}

  private static final Comparator<Key> ORDER =
      (one, other) -> {
        int order = Long.compareUnsigned(one.hash, other.hash);
        return order != 0 ? order : Arrays.compareUnsigned(one.bytes, other.bytes);
      };

  private final Map<Integer, List<Key>> bySegment = new HashMap<>();

  WantedKeys(List<byte[]> keys, long hashSeed, int segmentCount) {
    for (byte[] key : keys) {
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      bySegment
          .computeIfAbsent(KeyHash.segment(hash, segmentCount), segment -> new ArrayList<>())
          .add(new Key(hash, key));
    }
    bySegment.replaceAll((segment, some) -> sorted(some));
  }

  private static List<Key> sorted(List<Key> keys) {
    keys.sort(ORDER);
    List<Key> each = new ArrayList<>(keys.size());
    for (Key key : keys) {
      if (each.isEmpty() || ORDER.compare(each.getLast(), key) != 0) {
        each.add(key);
      }
    }
    return each;
  }

  /** The segments that have a wanted key. */
  SegmentSet segments() {
    BitSet segments = new BitSet();
    bySegment.keySet().forEach(segments::set);
    return SegmentSet.ofBits(segments);
  }

  /** The wanted keys of a segment that are behind a cursor. */
  List<byte[]> behind(int segment, Cursor cursor) {
    return bySegment.getOrDefault(segment, List.of()).stream()
        .filter(key -> behind(cursor, key.hash, key.bytes))
        .map(Key::bytes)
        .toList();
  }

  /** Whether a key is behind a cursor. */
  static boolean behind(Cursor cursor, long hash, byte[] key) {
    return switch (cursor.kind()) {
      case START -> true;
      case AFTER -> ORDER.compare(new Key(hash, key), new Key(cursor.hash(), cursor.key())) > 0;
      case END -> false;
    };
  }
}
