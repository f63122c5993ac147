package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheCollectors;
import io.cantle.CacheStream;
import io.cantle.core.wire.PullRequest.EntryPart;
import io.cantle.function.SerializableComparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests which streams get advice, and that what is advised runs on the owners. */
class LocalRunAdviceTest {
  private final List<Flight> flights = Flight.some(5, 300);
  private final ListScanner scans = new ListScanner(5, flights);
  private final CacheStreamSource<Integer, Flight> cacheStreamSource = scans.streams();
  private final Pipeline pipeline = Pipeline.of(cacheStreamSource, EntryPart.VALUE);

  @Test
  void namesTheCacheAndTheFormThatOwnersRun() {
    assertThat(
            LocalRunAdvice.collectAdvice(
                pipeline, Collectors.groupingBy(Flight::carrier, Collectors.counting())))
        .contains("every element of cache \"flights\"")
        .contains("CacheCollectors.groupingBy", "collect(() -> ...)");
    assertThat(
            LocalRunAdvice.collectAdvice(
                pipeline,
                Collectors.toMap(Flight::carrier, Flight::distance, (left, right) -> left)))
        .contains("CacheCollectors.toMap with a merge function");
    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.toSet()))
        .contains("CacheCollectors.toSet", "CacheCollectors.toCollection");
    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.counting()))
        .contains("CacheCollectors.counting", "CacheCollectors.reducing");
    assertThat(LocalRunAdvice.sortAdvice(pipeline)).contains("SerializableComparator.comparing");
  }

  @Test
  void advisedCollectorsBringNoEntryHere() {
    CacheStream<Flight> values = cacheStreamSource.valueStream();
    assertThat(
            values.collect(CacheCollectors.groupingBy(Flight::carrier, CacheCollectors.counting())))
        .isEqualTo(
            flights.stream()
                .collect(Collectors.groupingBy(Flight::carrier, Collectors.counting())));
    assertThat(
            values.collect(
                CacheCollectors.toMap(Flight::carrier, Flight::number, (a, b) -> Math.max(a, b))))
        .isEqualTo(
            flights.stream().collect(Collectors.toMap(Flight::carrier, Flight::number, Math::max)));
    assertThat(values.map(Flight::carrier).collect(CacheCollectors.toSet()))
        .isEqualTo(flights.stream().map(Flight::carrier).collect(Collectors.toSet()));
    assertThat(
            values
                .map(Flight::carrier)
                .collect(CacheCollectors.toCollection(() -> new TreeSet<>())))
        .hasSize(6);
    assertThat(values.collect(CacheCollectors.counting())).isEqualTo(300);
    assertThat(
            values.collect(CacheCollectors.reducing(0, Flight::number, (a, b) -> Math.max(a, b))))
        .isEqualTo(299);
    assertThat(
            values.<Integer, int[]>collect(
                () ->
                    Collector.of(
                        () -> new int[1],
                        (box, flight) -> box[0]++,
                        (box, other) -> {
                          box[0] += other[0];
                          return box;
                        },
                        box -> box[0])))
        .isEqualTo(300);
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void advisedComparatorBringsNoEntryHere() {
    List<Flight> here =
        cacheStreamSource.valueStream().sorted(Flight.BY_DISTANCE).limit(3).toList();
    int pulled = scans.entriesPulled;
    List<Flight> there =
        cacheStreamSource
            .valueStream()
            .sorted(
                SerializableComparator.comparingDouble(Flight::distance)
                    .thenComparingInt(Flight::number))
            .limit(3)
            .toList();

    assertThat(there).isEqualTo(here);
    assertThat(pulled).isEqualTo(300);
    assertThat(scans.entriesPulled).isEqualTo(pulled);
  }

  @Test
  void collectorThatKeepsEveryElementGetsNoAdvice() {
    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.toList())).isNull();
    assertThat(
            LocalRunAdvice.collectAdvice(
                pipeline, Collectors.toMap(Flight::number, Flight::distance)))
        .isNull();
    assertThat(
            LocalRunAdvice.collectAdvice(
                pipeline, Collectors.toUnmodifiableMap(Flight::number, Flight::distance)))
        .isNull();
    assertThat(
            LocalRunAdvice.collectAdvice(
                pipeline, Collectors.toConcurrentMap(Flight::number, Flight::distance)))
        .isNull();
    Pipeline keys = Pipeline.of(cacheStreamSource, EntryPart.KEY);
    assertThat(LocalRunAdvice.collectAdvice(keys, Collectors.toUnmodifiableSet())).isNull();
    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.joining())).isNull();
    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.joining(","))).isNull();
  }

  @Test
  void noAdviceWhereNothingTravels() {
    scans.ownsAll = true;

    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.counting())).isNull();
    assertThat(LocalRunAdvice.sortAdvice(pipeline)).isNull();
  }
}
