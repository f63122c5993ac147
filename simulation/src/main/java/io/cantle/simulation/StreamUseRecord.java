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
record StreamUseRecord(Map<StreamUseCase, Long> ended, long duplicates, long missing) {
  static final StreamUseRecord NONE = new StreamUseRecord(Map.of(), 0, 0);

  /** Copies the map. */
  StreamUseRecord {
    Map<StreamUseCase, Long> copy = new EnumMap<>(StreamUseCase.class);
    copy.putAll(ended);
    ended = Collections.unmodifiableMap(copy);
  }

  /** Both together. */
  StreamUseRecord plus(StreamUseRecord other) {
    Map<StreamUseCase, Long> sum = new EnumMap<>(StreamUseCase.class);
    sum.putAll(ended);
    other.ended.forEach((use, count) -> sum.merge(use, count, Long::sum));
    return new StreamUseRecord(sum, duplicates + other.duplicates, missing + other.missing);
  }

  /** The kinds of use that never came to their end. */
  List<String> unusedUses() {
    return Arrays.stream(StreamUseCase.values())
        .filter(use -> !ended.containsKey(use))
        .map(StreamUseCase::figureName)
        .toList();
  }

  /** How many uses of each kind there were, under their names. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    for (StreamUseCase use : StreamUseCase.values()) {
      figures.put(use.figureName(), ended.getOrDefault(use, 0L));
    }
    return figures;
  }
}
