package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that random pipelines give the same result on the owners as over a list. */
class RandomPipelinesTest {

  /** The same pipeline over the cache and over a list. */
  private record Both(CacheStream<Integer> cache, Stream<Integer> list) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void randomPipelinesMatchTheJdk(long seed) {
    Random random = new Random(seed);
    for (int run = 0; run < 50; run++) {
      List<Flight> flights = Flight.some(random.nextLong(), random.nextInt(150));
      ListScanner scans = new ListScanner(random.nextLong(), flights);
      Both both = source(random.nextInt(3), scans.streams(), flights);
      for (int stages = random.nextInt(6); stages > 0; stages--) {
        both = stage(random.nextInt(5), random.nextInt(1, 9), both);
      }
      int terminal = random.nextInt(11);
      assertThat(onOwners(terminal, both.cache()))
          .as("seed %d, run %d, terminal %d", seed, run, terminal)
          .isEqualTo(overList(terminal, both.list()));
    }
  }

  private static Both source(
      int which, CacheStreamSource<Integer, Flight> cacheStreamSource, List<Flight> flights) {
    return switch (which) {
      case 0 -> new Both(cacheStreamSource.keyStream(), flights.stream().map(Flight::number));
      case 1 ->
          new Both(
              cacheStreamSource.valueStream().map(Flight::delayMinutes),
              flights.stream().map(Flight::delayMinutes));
      default ->
          new Both(
              cacheStreamSource.entryStream().map(e -> e.getKey() + e.getValue().delayMinutes()),
              flights.stream().map(f -> f.number() + f.delayMinutes()));
    };
  }

  private static Both stage(int which, int n, Both both) {
    return switch (which) {
      case 0 -> new Both(both.cache.filter(x -> x % n != 0), both.list.filter(x -> x % n != 0));
      case 1 -> new Both(both.cache.map(x -> x * n), both.list.map(x -> x * n));
      case 2 ->
          new Both(
              both.cache.flatMap(x -> Stream.of(x, n).limit(Math.floorMod(x, 3))),
              both.list.flatMap(x -> Stream.of(x, n).limit(Math.floorMod(x, 3))));
      case 3 -> new Both(both.cache.filter(x -> x > n), both.list.filter(x -> x > n));
      default ->
          new Both(
              both.cache.map(x -> Math.floorMod(x, 100)),
              both.list.map(x -> Math.floorMod(x, 100)));
    };
  }

  private static Object onOwners(int terminal, CacheStream<Integer> stream) {
    return switch (terminal) {
      case 0 -> stream.count();
      case 1 -> stream.collect(() -> Collectors.toList());
      case 2 -> stream.collect(() -> Collectors.groupingBy(x -> x % 7, Collectors.counting()));
      case 3 -> stream.reduce(0, Integer::sum);
      case 4 -> stream.reduce((a, b) -> a + b);
      case 5 -> stream.reduce(0L, (sum, x) -> sum + x, Long::sum);
      case 6 -> stream.min(Integer::compare);
      case 7 -> stream.max(Integer::compare);
      case 8 -> List.of(stream.anyMatch(x -> x % 50 == 49), "any");
      case 9 -> List.of(stream.allMatch(x -> x % 50 != 49), "all");
      default -> drained(stream.iterator());
    };
  }

  private static Object overList(int terminal, Stream<Integer> stream) {
    return switch (terminal) {
      case 0 -> stream.count();
      case 1 -> stream.collect(Collectors.toList());
      case 2 -> stream.collect(Collectors.groupingBy(x -> x % 7, Collectors.counting()));
      case 3 -> stream.reduce(0, Integer::sum);
      case 4 -> stream.reduce((a, b) -> a + b);
      case 5 -> stream.reduce(0L, (sum, x) -> sum + x, Long::sum);
      case 6 -> stream.min(Integer::compare);
      case 7 -> stream.max(Integer::compare);
      case 8 -> List.of(stream.anyMatch(x -> x % 50 == 49), "any");
      case 9 -> List.of(stream.allMatch(x -> x % 50 != 49), "all");
      default -> stream.toList();
    };
  }

  private static List<Integer> drained(CloseableIterator<Integer> iterator) {
    List<Integer> elements = new ArrayList<>();
    iterator.forEachRemaining(elements::add);
    return elements;
  }
}
