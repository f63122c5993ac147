package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheStream;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.publish.Tasks;
import io.cantle.core.stream.Task.Recording;
import io.cantle.core.stream.Task.Terminal;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What streams refuse, and what they say then. */
class RefusalsTest {
  private final Decoded decoded = new Decoded(ListScans.CODEC, 0);
  private final Pipelines pipelines =
      new Pipelines(ListScans.CODEC, decoded, name -> ListScans.CACHE);
  private final Streams<Integer, Flight> streams = new ListScans(1, Flight.some(1, 50)).streams();

  @Test
  void namesTheStageWhoseFunctionCannotBeSent() {
    Object lock = new Thread();

    assertThatThrownBy(
            () -> streams.values().filter(f -> f.late()).map(f -> f.carrier() + lock.hashCode()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("map after 1 stages")
        .hasMessageContaining("java.lang.Thread");
    assertThatThrownBy(() -> streams.values().forEach(f -> lock.notifyAll()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("forEach after 0 stages");
    assertThatThrownBy(() -> streams.values().<Object>reduce(lock, (a, b) -> a, (a, b) -> a))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the identity given to it");
  }

  @Test
  void aStreamIsADescriptionThatMayBeUsedAgain() {
    CacheStream<Flight> stream = streams.values();
    CacheStream<Flight> late = stream.filter(f -> f.late());

    assertThat(late.count()).isPositive().isEqualTo(late.toList().size());
    assertThat(late.map(f -> f.carrier()).toList()).hasSize((int) late.count());
    assertThat(stream.count()).isEqualTo(50);
  }

  @Test
  void refusesAStreamThatWasClosed() {
    CacheStream<Flight> stream = streams.values();
    stream.close();

    assertThatThrownBy(stream::count).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void limitsStages() {
    CacheStream<Integer> stream = streams.keys();
    for (int i = 0; i < Task.STAGES_MAX; i++) {
      stream = stream.map(k -> k + 1);
    }
    CacheStream<Integer> longest = stream;

    assertThatThrownBy(() -> longest.filter(k -> true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stage 1001")
        .hasMessageContaining("1000");
  }

  @Test
  void runsTheMostStages() {
    CacheStream<Integer> reduced = streams.keys();
    CacheStream<Integer> pulled = streams.keys();
    for (int i = 0; i < Task.STAGES_MAX; i++) {
      reduced = reduced.map(k -> k + 1);
      pulled = pulled.map(k -> k + 1);
    }

    assertThat(reduced.min(Integer::compare)).contains(Task.STAGES_MAX);
    assertThat(pulled.iterator().next()).isEqualTo(Task.STAGES_MAX);
  }

  @Test
  void limitsWhatFunctionsCapture() {
    byte[] large = new byte[Task.BYTES_MAX + 1];

    assertThatThrownBy(() -> streams.keys().filter(k -> large[k] == 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit is " + Task.BYTES_MAX);
  }

  @Test
  void holdsBackAMapperWithoutEnd() {
    Recording recording = Recording.of(Part.KEY);
    SerializableFunction<Integer, Stream<String>> endless =
        k -> Stream.generate(() -> "x".repeat(1 << 20));
    recording =
        recording.stage(new Stage(Stage.Kind.FLAT_MAP, endless), "flatMap", ListScans.CODEC);
    Tasks.Transformation transformation =
        pipelines.transformation(recording.end(Terminal.Kind.ELEMENTS));
    Entry entry = ListScans.entry(Flight.some(1, 5).getLast());

    assertThatThrownBy(() -> transformation.run(new Output(16), feed -> feed.take(entry)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key 4");
  }

  @Test
  void refusesBytesThatAreNoTask() {
    byte[] task = task();
    byte[] longer = Arrays.copyOf(task, task.length + 1);
    byte[] newer = task.clone();
    newer[0] = 3;

    assertThatThrownBy(() -> pipelines.reduction(longer)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> pipelines.reduction(newer))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("version 2 and not 3");
    for (int length = 0; length < task.length; length++) {
      byte[] shorter = Arrays.copyOf(task, length);
      assertThatThrownBy(() -> pipelines.reduction(shorter)).isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void survivesCorruptTasks() {
    Random random = new Random(1);
    Entry entry = ListScans.entry(Flight.some(1, 1).getFirst());
    for (int i = 0; i < 2_000; i++) {
      byte[] task = task();
      task[random.nextInt(task.length)] = (byte) random.nextInt();
      try {
        pipelines.reduction(task).reduce(ListScans.all(List.of(entry)), new Output(16));
      } catch (MalformedException | IllegalArgumentException | ClassCastException e) {
        assertThat(e).hasMessageNotContaining("must not happen");
      }
    }
  }

  @Test
  void keepsEndsApart() {
    Recording open = Recording.of(Part.KEY);
    byte[] elements = open.end(Terminal.Kind.ELEMENTS);
    byte[] count = task();

    assertThatThrownBy(
            () -> pipelines.reduction(elements).reduce(ListScans.all(List.of()), new Output(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pipelines.transformation(count))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void copiesTheStoredBytesOfUntouchedElements() {
    Flight flight = Flight.some(1, 1).getFirst();
    Entry entry = ListScans.entry(flight);
    Recording recording = Recording.of(Part.VALUE);
    SerializablePredicate<Flight> all = f -> true;
    recording = recording.stage(new Stage(Stage.Kind.FILTER, all), "filter", ListScans.CODEC);
    Output out = new Output(16);

    pipelines
        .transformation(recording.end(Terminal.Kind.ELEMENTS))
        .run(out, feed -> assertThat(feed.take(entry)).isEqualTo(1));

    assertThat(out.position()).isLessThanOrEqualTo(entry.valueLength() + 3);
    assertThat(new ElementForm(ListScans.CODEC).read(out.toInput())).isEqualTo(flight);
  }

  private static byte[] task() {
    Recording recording = Recording.of(Part.VALUE);
    SerializablePredicate<Flight> late = Flight::late;
    recording = recording.stage(new Stage(Stage.Kind.FILTER, late), "filter", ListScans.CODEC);
    return recording.end(Terminal.Kind.COUNT);
  }
}
