package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheCollectors;
import io.cantle.core.wire.PullRequest.EntryPart;
import io.cantle.function.SerializableComparator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests which streams get advice, and that what is advised runs on the owners. */
class LocalRunAdviceTest {
  private final ListScanner scans = new ListScanner(5, Flight.some(5, 300));
  private final CacheStreamSource<Integer, Flight> cacheStreamSource = scans.streams();
  private final Pipeline pipeline = Pipeline.of(cacheStreamSource, EntryPart.VALUE);

  @Test
  void namesTheCacheAndTheFormThatOwnersRun() {
    assertThat(
            LocalRunAdvice.collectAdvice(
                pipeline, Collectors.groupingBy(Flight::carrier, Collectors.counting())))
        .contains("every element of cache \"flights\"")
        .contains("CacheCollectors.groupingBy");
    assertThat(LocalRunAdvice.sortAdvice(pipeline)).contains("SerializableComparator.comparing");
  }

  @Test
  void advisedCollectorBringsNoEntryHere() {
    assertThat(
            cacheStreamSource
                .valueStream()
                .collect(CacheCollectors.groupingBy(Flight::carrier, CacheCollectors.counting())))
        .isNotEmpty();
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
    assertThat(LocalRunAdvice.collectAdvice(pipeline, Collectors.toUnmodifiableSet())).isNull();
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
