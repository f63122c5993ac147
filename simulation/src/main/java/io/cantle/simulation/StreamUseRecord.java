package io.cantle.simulation;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients that use streams have done, and what was wrong with it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param ended how many uses of each kind completed normally
 * @param duplicates how many elements appeared too often
 * @param missing how many required elements did not appear
 */
record StreamUseRecord(Map<StreamUseCase, Long> ended, long duplicates, long missing) {
  static final StreamUseRecord NONE = new StreamUseRecord(Map.of(), 0, 0);

  /** Copies the map. */
  StreamUseRecord {
    Map<StreamUseCase, Long> copy = new EnumMap<>(StreamUseCase.class);
    copy.putAll(ended);
    ended = Collections.unmodifiableMap(copy);
  }

  /** Returns the sum of both. */
  StreamUseRecord plus(StreamUseRecord other) {
    Map<StreamUseCase, Long> sum = new EnumMap<>(StreamUseCase.class);
    sum.putAll(ended);
    other.ended.forEach((use, count) -> sum.merge(use, count, Long::sum));
    return new StreamUseRecord(sum, duplicates + other.duplicates, missing + other.missing);
  }

  /** Returns the kinds of use that never completed. */
  List<String> unusedUses() {
    return Arrays.stream(StreamUseCase.values())
        .filter(use -> !ended.containsKey(use))
        .map(StreamUseCase::figureName)
        .toList();
  }

  /** Returns how many uses of each kind there were, under their names. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    for (StreamUseCase use : StreamUseCase.values()) {
      figures.put(use.figureName(), ended.getOrDefault(use, 0L));
    }
    return figures;
  }
}
