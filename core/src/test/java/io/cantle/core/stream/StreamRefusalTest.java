package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheStream;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.scan.TaskInterpreter;
import io.cantle.core.stream.PipelineTask.RecordedStages;
import io.cantle.core.stream.PipelineTask.Terminal;
import io.cantle.core.wire.PullRequest.EntryPart;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests what streams refuse, and with which message. */
class StreamRefusalTest {
  private final DecodedObjectCache objectCache =
      new DecodedObjectCache(ListScanner.CODEC, new MemoryAccount(0));
  private final PipelineRunner pipelineRunner =
      new PipelineRunner(ListScanner.CODEC, objectCache, index -> ListScanner.CACHE);
  private final CacheStreamSource<Integer, Flight> cacheStreamSource =
      new ListScanner(1, Flight.some(1, 50)).streams();

  @Test
  void namesTheStageWhoseFunctionCannotBeSent() {
    Object lock = new Thread();

    assertThatThrownBy(
            () ->
                cacheStreamSource
                    .valueStream()
                    .filter(f -> f.late())
                    .map(f -> f.carrier() + lock.hashCode()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("map after 1 stage of")
        .hasMessageContaining("java.lang.Thread");
    assertThatThrownBy(() -> cacheStreamSource.valueStream().forEachOnOwners(f -> lock.notifyAll()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("forEachOnOwners of a stream cannot be sent");
    assertThatThrownBy(
            () -> cacheStreamSource.valueStream().<Object>reduce(lock, (a, b) -> a, (a, b) -> a))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the identity given to it");
  }

  @Test
  void streamMayBeReused() {
    CacheStream<Flight> stream = cacheStreamSource.valueStream();
    CacheStream<Flight> late = stream.filter(f -> f.late());

    assertThat(late.count()).isPositive().isEqualTo(late.toList().size());
    assertThat(late.map(f -> f.carrier()).toList()).hasSize((int) late.count());
    assertThat(stream.count()).isEqualTo(50);
  }

  @Test
  void refusesAStreamThatWasClosed() {
    CacheStream<Flight> stream = cacheStreamSource.valueStream();
    stream.close();

    assertThatThrownBy(stream::count).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void limitsStages() {
    CacheStream<Integer> stream = cacheStreamSource.keyStream();
    for (int i = 0; i < PipelineTask.MAX_STAGES; i++) {
      stream = stream.map(k -> k + 1);
    }
    CacheStream<Integer> longest = stream;

    assertThatThrownBy(() -> longest.filter(k -> true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stage 1001")
        .hasMessageContaining("1000");
  }

  @Test
  void runsTheMaximumNumberOfStages() {
    CacheStream<Integer> reduced = cacheStreamSource.keyStream();
    CacheStream<Integer> pulled = cacheStreamSource.keyStream();
    for (int i = 0; i < PipelineTask.MAX_STAGES; i++) {
      reduced = reduced.map(k -> k + 1);
      pulled = pulled.map(k -> k + 1);
    }

    assertThat(reduced.min(Integer::compare)).contains(PipelineTask.MAX_STAGES);
    assertThat(pulled.iterator().next()).isEqualTo(PipelineTask.MAX_STAGES);
  }

  @Test
  void limitsWhatFunctionsCapture() {
    byte[] large = new byte[PipelineTask.MAX_BYTES + 1];

    assertThatThrownBy(() -> cacheStreamSource.keyStream().filter(k -> large[k] == 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit is " + PipelineTask.MAX_BYTES);
  }

  @Test
  void limitsAnEndlessMapper() {
    RecordedStages recordedStages = RecordedStages.of(EntryPart.KEY);
    SerializableFunction<Integer, Stream<String>> endless =
        k -> Stream.generate(() -> "x".repeat(1 << 20));
    recordedStages =
        recordedStages.withStage(
            new PipelineStage(PipelineStage.StageKind.FLAT_MAP, endless),
            "flatMap",
            ListScanner.CODEC);
    TaskInterpreter.Transformation transformation =
        pipelineRunner.readTransformation(recordedStages.encodeTask(Terminal.ELEMENTS));
    Entry entry = ListScanner.entry(Flight.some(1, 5).getLast());

    assertThatThrownBy(
            () -> transformation.run(new Output(16), consumer -> consumer.writeElements(entry)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key 4");
  }

  @Test
  void refusesBytesThatAreNoTask() {
    byte[] task = task();
    byte[] longer = Arrays.copyOf(task, task.length + 1);
    byte[] newer = task.clone();
    newer[0] = 4;

    assertThatThrownBy(() -> pipelineRunner.readReduction(longer))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> pipelineRunner.readReduction(newer))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("version 3 and not 4");
    for (int length = 0; length < task.length; length++) {
      byte[] shorter = Arrays.copyOf(task, length);
      assertThatThrownBy(() -> pipelineRunner.readReduction(shorter))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void survivesCorruptTasks() {
    Random random = new Random(1);
    Entry entry = ListScanner.entry(Flight.some(1, 1).getFirst());
    for (int i = 0; i < 2_000; i++) {
      byte[] task = task();
      task[random.nextInt(task.length)] = (byte) random.nextInt();
      try {
        pipelineRunner.readReduction(task).reduce(ListScanner.all(List.of(entry)), new Output(16));
      } catch (MalformedException | IllegalArgumentException | ClassCastException e) {
        assertThat(e).hasMessageNotContaining("must not happen");
      }
    }
  }

  @Test
  void terminalsOfOneStreamAreIndependent() {
    RecordedStages open = RecordedStages.of(EntryPart.KEY);
    byte[] elements = open.encodeTask(Terminal.ELEMENTS);
    byte[] count = task();

    assertThatThrownBy(
            () ->
                pipelineRunner
                    .readReduction(elements)
                    .reduce(ListScanner.all(List.of()), new Output(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pipelineRunner.readTransformation(count))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void copiesTheStoredBytesOfUntouchedElements() {
    Flight flight = Flight.some(1, 1).getFirst();
    Entry entry = ListScanner.entry(flight);
    RecordedStages recordedStages = RecordedStages.of(EntryPart.VALUE);
    SerializablePredicate<Flight> all = f -> true;
    recordedStages =
        recordedStages.withStage(
            new PipelineStage(PipelineStage.StageKind.FILTER, all), "filter", ListScanner.CODEC);
    Output out = new Output(16);

    pipelineRunner
        .readTransformation(recordedStages.encodeTask(Terminal.ELEMENTS))
        .run(out, consumer -> assertThat(consumer.writeElements(entry)).isEqualTo(1));

    assertThat(out.position()).isLessThanOrEqualTo(entry.valueLength() + 3);
    assertThat(new ElementCodec(ListScanner.CODEC).read(out.toInput())).isEqualTo(flight);
  }

  private static byte[] task() {
    RecordedStages recordedStages = RecordedStages.of(EntryPart.VALUE);
    SerializablePredicate<Flight> late = Flight::late;
    recordedStages =
        recordedStages.withStage(
            new PipelineStage(PipelineStage.StageKind.FILTER, late), "filter", ListScanner.CODEC);
    return recordedStages.encodeTask(Terminal.COUNT);
  }
}
