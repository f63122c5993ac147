package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** One codec serves any number of virtual threads; nothing of it belongs to a thread. */
class CodecThreadsTest {
  private static final int THREADS = 500;
  private static final int ROUNDS = 40;

  private static final Codec CODEC =
      new Codec(ClassAllowList.of(List.of("io.cantle")), CodecThreadsTest.class.getClassLoader());

  record Reading(String sensor, long time, double value) {}

  record Report(Map<String, List<Reading>> readings, Kind kind) {}

  enum Kind {
    SHORT,
    LONG
  }

  interface Mapping<A, B> extends Function<A, B>, Serializable {}

  @Test
  void manyVirtualThreadsShareACodec() throws Exception {
    List<Future<Boolean>> results = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        results.add(executor.submit(() -> roundTrips(number)));
      }
    }
    for (Future<Boolean> result : results) {
      assertThat(result.get()).isTrue();
    }
  }

  private boolean roundTrips(int thread) {
    for (int round = 0; round < ROUNDS; round++) {
      Reading reading = new Reading("s" + thread, round, round / 3.0);
      byte[] key = CODEC.encodeKey(reading);
      Report report = new Report(new TreeMap<>(Map.of("a", List.of(reading))), Kind.LONG);
      byte[] value = CODEC.encodeValue(report);
      int added = thread;
      Mapping<Integer, Integer> adding = number -> number + added;
      Output out = new Output(64);
      CODEC.encodeFunction(adding, out);
      @SuppressWarnings("unchecked")
      Function<Integer, Integer> back =
          (Function<Integer, Integer>) CODEC.decodeFunction(out.toInput(), new CaptureSnapshot());
      if (!CODEC.decodeKey(key, 0, key.length).equals(reading)
          || !CODEC.decodeValue(value, 0, value.length).equals(report)
          || back.apply(1) != added + 1) {
        return false;
      }
    }
    return true;
  }
}
