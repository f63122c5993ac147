package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.simulation.StageNode;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Entries that are written once, and the checks of what must be seen of them.
 *
 * <p><b>Threading:</b> one thread, the script's.
 */
final class ImmutableEntries {
  private final Map<String, String> entries = new TreeMap<>();

  /** Creates this many entries with values of this many characters. */
  ImmutableEntries(int count, int valueLength) {
    for (int i = 0; i < count; i++) {
      entries.put("stable-" + i, i + "-" + "v".repeat(valueLength));
    }
  }

  /** Creates small entries. */
  static ImmutableEntries ofSmallEntries(int count) {
    return new ImmutableEntries(count, 10);
  }

  /**
   * Creates so many entries that a segment takes several pulls, whether transferred or iterated.
   */
  static ImmutableEntries spanningSeveralPulls() {
    return new ImmutableEntries(300, 3_000);
  }

  int size() {
    return entries.size();
  }

  Map<String, String> entries() {
    return entries;
  }

  /** Writes all of them. */
  ImmutableEntries putInto(StageNode actor) {
    actor.call(
        () -> {
          actor.cache().putAll(entries);
          return true;
        });
    return this;
  }

  /** Checks that every entry is there, by each way to read at one node. */
  void checkAt(StageNode actor) {
    Map<String, String> found = actor.call(() -> iterated(actor.cache()));
    assertThat(found).as("iterated at " + actor).containsAllEntriesOf(entries);
    assertThat(actor.call(() -> read(actor.cache()))).as("read at " + actor).isEqualTo(entries);
  }

  private Map<String, String> read(Cache<String, String> cache) {
    Map<String, String> found = new TreeMap<>();
    for (String key : entries.keySet()) {
      String value = cache.get(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  /** Returns everything that an iteration delivers, and checks that it delivers nothing twice. */
  static Map<String, String> iterated(Cache<String, String> cache) {
    Map<String, String> found = new TreeMap<>();
    try (CloseableIterator<Map.Entry<String, String>> all = cache.entrySet().iterator()) {
      takeInto(all, Integer.MAX_VALUE, found);
    }
    return found;
  }

  /** Takes some more elements of an iteration, none of them twice. */
  static void takeInto(
      Iterator<Map.Entry<String, String>> from, int count, Map<String, String> into) {
    for (int i = 0; i < count && from.hasNext(); i++) {
      Map.Entry<String, String> entry = from.next();
      assertThat(into.put(entry.getKey(), entry.getValue()))
          .as("delivered before: " + entry.getKey())
          .isNull();
    }
  }
}
