package io.cantle.simulation;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients that stream have done, and what was wrong with it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param ended how many uses of each kind have come to a normal end
 * @param duplicates how many elements came too often
 * @param missing how many that had to come did not
 */
record StreamUses(Map<StreamUse, Long> ended, long duplicates, long missing) {
  static final StreamUses NONE = new StreamUses(Map.of(), 0, 0);

  /** Copies the map. */
  StreamUses {
    Map<StreamUse, Long> copy = new EnumMap<>(StreamUse.class);
    copy.putAll(ended);
    ended = Collections.unmodifiableMap(copy);
  }

  /** Both together. */
  StreamUses plus(StreamUses other) {
    Map<StreamUse, Long> sum = new EnumMap<>(StreamUse.class);
    sum.putAll(ended);
    other.ended.forEach((use, count) -> sum.merge(use, count, Long::sum));
    return new StreamUses(sum, duplicates + other.duplicates, missing + other.missing);
  }

  /** The kinds of use that never came to their end. */
  List<String> absent() {
    return Arrays.stream(StreamUse.values())
        .filter(use -> !ended.containsKey(use))
        .map(StreamUse::figure)
        .toList();
  }

  /** How many uses of each kind there were, under their names. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    for (StreamUse use : StreamUse.values()) {
      figures.put(use.figure(), ended.getOrDefault(use, 0L));
    }
    return figures;
  }
}
