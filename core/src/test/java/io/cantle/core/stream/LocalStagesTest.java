package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the stages that run on the calling node. */
class LocalStagesTest {
  private final List<Flight> flights = Flight.some(9, 300);
  private final ListScanner scans = new ListScanner(9, flights);
  private final CacheStreamSource<Integer, Flight> cacheStreamSource = scans.streams();

  /** A use of a stream, with a name. */
  record Use(String name, Function<Stream<Integer>, Object> use) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Use> uses() {
    return List.of(
        new Use("filter", s -> s.filter(x -> x > 9).toList()),
        new Use("map", s -> s.map(x -> -x).toList()),
        new Use("flatMap", s -> s.flatMap(x -> Stream.of(x, x)).toList()),
        new Use("mapToInt", s -> s.mapToInt(x -> x).sum()),
        new Use("mapToLong", s -> s.mapToLong(x -> x).max()),
        new Use("mapToDouble", s -> s.mapToDouble(x -> x).average()),
        new Use("flatMapToInt", s -> s.flatMapToInt(x -> String.valueOf(x).chars()).sum()),
        new Use("mapMulti", s -> s.<Integer>mapMulti((x, sink) -> sink.accept(x + 1)).toList()),
        new Use("gather", s -> s.gather(Gatherers.windowFixed(7)).toList()),
        new Use("distinct", s -> s.distinct().count()),
        new Use("sorted", s -> s.sorted(Comparator.reverseOrder()).toList()),
        new Use("sorted naturally", s -> s.sorted().limit(5).toList()),
        new Use("peek", s -> s.peek(x -> {}).limit(3).toList()),
        new Use("limit", s -> s.limit(10).toList()),
        new Use("skip", s -> s.skip(290).toList()),
        new Use("takeWhile", s -> s.takeWhile(x -> x < 50).toList()),
        new Use("dropWhile", s -> s.dropWhile(x -> x < 250).toList()),
        new Use("toArray", s -> List.of(s.toArray())),
        new Use("toArray of a type", s -> List.of(s.toArray(Integer[]::new))),
        new Use("toList", Stream::toList),
        new Use("reduce", s -> s.reduce(Integer::sum)),
        new Use("reduce from", s -> s.reduce(0, Integer::sum)),
        new Use(
            "reduce with",
            s -> s.reduce(0L, (BiFunction<Long, Integer, Long>) Long::sum, Long::sum)),
        new Use("collect", s -> s.collect(Collectors.groupingBy(x -> x % 3))),
        new Use("collect in three parts", s -> s.collect(ArrayList::new, List::add, List::addAll)),
        new Use("min", s -> s.min(Comparator.naturalOrder())),
        new Use("max", s -> s.max(Comparator.naturalOrder())),
        new Use("count", s -> s.count()),
        new Use("anyMatch", s -> s.anyMatch(x -> x == 50)),
        new Use("allMatch", s -> s.allMatch(x -> x < 50)),
        new Use("noneMatch", s -> s.noneMatch(x -> x > 900)),
        new Use("iterator", s -> drained(s.iterator()::forEachRemaining)),
        new Use("spliterator", s -> drained(s.spliterator()::forEachRemaining)),
        new Use("forEach", s -> drained(s::forEach)),
        new Use("forEachOrdered", s -> drained(s::forEachOrdered)),
        new Use("concat", s -> Stream.concat(s, Stream.of(1)).toList()),
        new Use("parallel", s -> s.parallel().unordered().sequential().toList()));
  }

  @ParameterizedTest
  @MethodSource("uses")
  void matchesTheJdk(Use use) {
    Stream<Integer> expected = flights.stream().map(Flight::number);

    assertThat(use.use().apply(cacheStreamSource.keyStream())).isEqualTo(use.use().apply(expected));
  }

  @ParameterizedTest
  @MethodSource("uses")
  void continuesAfterStagesOnTheOwners(Use use) {
    Stream<Integer> expected = flights.stream().filter(Flight::late).map(Flight::delayMinutes);

    assertThat(
            use.use()
                .apply(
                    cacheStreamSource
                        .valueStream()
                        .filter(f -> f.late())
                        .map(f -> f.delayMinutes())))
        .isEqualTo(use.use().apply(expected));
  }

  @Test
  void takesFunctionsThatCannotBeSent() {
    Set<String> wanted = new HashSet<>(Set.of("AA", "UA"));
    Predicate<Flight> predicate = f -> wanted.contains(f.carrier());
    Supplier<List<Flight>> supplier = ArrayList::new;
    BinaryOperator<Flight> last = (a, b) -> b;

    assertThat(cacheStreamSource.valueStream().filter(predicate).toList())
        .isEqualTo(flights.stream().filter(predicate).toList());
    assertThat(cacheStreamSource.valueStream().anyMatch(predicate)).isTrue();
    assertThat(cacheStreamSource.valueStream().reduce(last)).contains(flights.getLast());
    assertThat(cacheStreamSource.valueStream().collect(supplier, List::add, List::addAll))
        .isEqualTo(flights);
  }

  @Test
  void pullsNoMoreThanItNeeds() {
    assertThat(cacheStreamSource.valueStream().filter(f -> f.late()).limit(3).toList()).hasSize(3);
    assertThat(scans.entriesPulled).isLessThan(150);
  }

  @Test
  void pullsNothingBeforeTheEnd() {
    Stream<Flight> sorted = cacheStreamSource.valueStream().sorted(Flight.BY_DISTANCE);
    assertThat(scans.iteratorsOpen).isZero();

    assertThat(sorted.findFirst()).isEqualTo(flights.stream().min(Flight.BY_DISTANCE));
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void stopsPullingWhenTheStreamEndsEarly() {
    Predicate<Integer> first = k -> k == 0;
    assertThat(cacheStreamSource.keyStream().anyMatch(first)).isTrue();
    Consumer<Integer> failing =
        k -> {
          throw new IllegalStateException("enough");
        };
    assertThatThrownBy(() -> cacheStreamSource.keyStream().forEachOrdered(failing))
        .hasMessage("enough");

    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void closesTheIteratorWithTheStream() {
    List<String> closed = new ArrayList<>();
    CacheStream<Flight> stream = cacheStreamSource.valueStream();
    Stream<Flight> local =
        stream.filter(f -> f.late()).onClose(() -> closed.add("first")).peek(f -> {});
    Stream<Flight> last = local.onClose(() -> closed.add("second"));
    assertThat(last.iterator()).hasNext();

    last.close();
    last.close();

    assertThat(closed).containsExactlyInAnyOrder("first", "second");
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void closesAnIteratorByItself() {
    try (CloseableIterator<Map.Entry<Integer, Flight>> entries =
        cacheStreamSource.entryStream().iterator()) {
      Map.Entry<Integer, Flight> entry = entries.next();
      assertThat(entry).isEqualTo(Map.entry(entry.getKey(), entry.getValue()));
      assertThat(entry).hasSameHashCodeAs(Map.entry(entry.getKey(), entry.getValue()));
      assertThatThrownBy(() -> entry.setValue(flights.getFirst()))
          .isInstanceOf(UnsupportedOperationException.class);
    }
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void iteratesEntriesKeysAndValuesWithoutATask() {
    assertThat(drained(cacheStreamSource.keyIterator()::forEachRemaining))
        .isEqualTo(flights.stream().map(Flight::number).toList());
    assertThat(cacheStreamSource.valueIterator()).toIterable().isEqualTo(flights);
    assertThat(cacheStreamSource.entryIterator())
        .toIterable()
        .isEqualTo(flights.stream().map(f -> Map.entry(f.number(), f)).toList());
  }

  @Test
  void knowsThatKeysAndEntriesAreDistinct() {
    assertThat(cacheStreamSource.keyStream().filter(k -> k > 1).spliterator())
        .matches(s -> s.hasCharacteristics(Spliterator.DISTINCT));
    assertThat(cacheStreamSource.valueStream().spliterator())
        .matches(s -> !s.hasCharacteristics(Spliterator.DISTINCT));
    assertThat(cacheStreamSource.keyStream().map(k -> 1).spliterator())
        .matches(s -> !s.hasCharacteristics(Spliterator.DISTINCT));
  }

  private static List<Integer> drained(Consumer<Consumer<? super Integer>> source) {
    List<Integer> elements = new ArrayList<>();
    source.accept(elements::add);
    return elements;
  }

  @Test
  void exhaustedIteratorHoldsNoResources() {
    CloseableIterator<Integer> limited =
        cacheStreamSource.keyStream().filter((Predicate<Integer>) x -> true).limit(3).iterator();
    limited.forEachRemaining(key -> {});
    assertThat(scans.iteratorsOpen).isZero();
    CloseableIterator<Integer> failing =
        cacheStreamSource
            .keyStream()
            .map((Function<Integer, Integer>) x -> Math.floorDiv(x, scans.iteratorsOpen - 1))
            .iterator();
    assertThatThrownBy(failing::hasNext).isInstanceOf(ArithmeticException.class);
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void closedIteratorHasNoNext() {
    CloseableIterator<Integer> sorted = cacheStreamSource.keyStream().sorted().iterator();
    sorted.next();
    assertThat(sorted.hasNext()).isTrue();
    sorted.close();
    assertThatThrownBy(sorted::next).isInstanceOf(NoSuchElementException.class);
    assertThat(sorted.hasNext()).isFalse();
    assertThat(scans.iteratorsOpen).isZero();
  }

  /** How many stages of objects an element has passed that comes out of a stream of numbers. */
  private static long objectStages(IntStream stream) {
    AtomicLong passed = new AtomicLong();
    stream
        .peek(
            element ->
                passed.set(
                    StackWalker.getInstance()
                        .walk(
                            frames ->
                                frames
                                    .map(StackWalker.StackFrame::getClassName)
                                    .filter(name -> name.contains(".ReferencePipeline$"))
                                    .count())))
        .forEach(element -> {});
    return passed.get();
  }

  @Test
  void limitAndSkipDoNotBoxNumbers() {
    IntStream numbers = cacheStreamSource.keyStream().mapToInt(key -> key);
    IntStream some = cacheStreamSource.keyStream().mapToInt(key -> key).limit(20).skip(10);
    assertThat(objectStages(some)).isPositive().isEqualTo(objectStages(numbers));
  }
}
