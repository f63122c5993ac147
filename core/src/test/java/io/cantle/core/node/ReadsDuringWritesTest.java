package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a read finds no value that another has replaced before the read began, while values
 * are remembered by the objects of their keys. A key has values that only grow.
 */
@Timeout(120)
final class ReadsDuringWritesTest {
  /** More than fit into a first table, so that keys have neighbours and tables are replaced. */
  private static final int KEYS = 200;

  private static final int ROUNDS = 2_000;
  private static final int READERS = 3;

  /** What the last completed write of each key wrote. */
  private final AtomicIntegerArray written = new AtomicIntegerArray(KEYS);

  private volatile boolean done;

  @ParameterizedTest
  @EnumSource(names = {"HEAP", "OBJECTS"})
  void readFindsWhatWasWrittenBeforeItOrLater(ContainerKind kind) throws Exception {
    try (SingleNode alone = new SingleNode();
        ExecutorService threads = Executors.newFixedThreadPool(READERS + 1)) {
      Cache<String, Integer> cache =
          alone.node.cache("numbers", CacheConfig.local().segments(4).container(kind));
      List<Future<Long>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        int first = i * KEYS / READERS;
        readers.add(threads.submit(() -> read(cache, first)));
      }
      try {
        for (int round = 1; round <= ROUNDS; round++) {
          for (int key = 0; key < KEYS; key++) {
            write(cache, key, round);
          }
        }
      } finally {
        done = true;
      }
      for (Future<Long> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
    }
  }

  private void write(Cache<String, Integer> cache, int key, int round) {
    String object = "key-" + key;
    if (round % 7 == 0) {
      cache.remove(object);
    } else if (round % 11 == 0) {
      cache.merge(object, round, (_, next) -> next);
      written.set(key, round);
    } else {
      cache.put(object, round);
      written.set(key, round);
    }
  }

  private long read(Cache<String, Integer> cache, int first) {
    int[] found = new int[KEYS];
    long reads = 0;
    for (int i = first; !done || reads == 0; i++, reads++) {
      int key = i % KEYS;
      int before = written.get(key);
      String object = "key-" + key;
      // Many keys are read at once by their bytes, and may not find what was there before either.
      Integer value = i % 3 == 0 ? cache.getAll(Set.of(object)).get(object) : cache.get(object);
      if (value != null) {
        assertThat(value).as("key %s", key).isGreaterThanOrEqualTo(Math.max(before, found[key]));
        found[key] = value;
      }
    }
    return reads;
  }
}
