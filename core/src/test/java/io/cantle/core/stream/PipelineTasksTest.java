package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.scan.TaskInterpreter;
import io.cantle.core.stream.PipelineTask.RecordedStages;
import io.cantle.core.stream.PipelineTask.Terminal;
import io.cantle.core.wire.PullRequest.EntryPart;
import io.cantle.function.IntFunctions;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableConsumer;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import io.cantle.function.SerializableToIntFunction;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how tasks are read from the wire: of every kind, of unknown kinds, and corrupt ones. */
class PipelineTasksTest {
  private static final SerializableToIntFunction<Integer> NUMBER = Integer::intValue;

  private final PipelineRunner pipelineRunner =
      new PipelineRunner(
          ListScanner.CODEC,
          new DecodedObjectCache(ListScanner.CODEC, new MemoryAccount(0)),
          index -> ListScanner.CACHE);
  private final List<Entry> entries = Flight.some(1, 3).stream().map(ListScanner::entry).toList();

  private static void functions(Output out, Object... functions) {
    for (Object function : functions) {
      ListScanner.CODEC.encodeFunction(function, out);
    }
  }

  private static byte[] task(RecordedStages recordedStages, Terminal kind, Consumer<Output> needs) {
    return recordedStages.encodeTask(kind, "end", needs);
  }

  /** A task over keys with this terminal operation. */
  private static byte[] ending(Terminal kind) {
    RecordedStages keys = RecordedStages.of(EntryPart.KEY);
    RecordedStages ints =
        keys.withStage(
                new PipelineStage(PipelineStage.StageKind.MAP_TO_INT, NUMBER),
                "mapToInt",
                ListScanner.CODEC)
            .withStage(
                new PipelineStage(
                    PipelineStage.StageKind.INT_MAP, (IntFunctions.UnaryOperator) n -> n),
                "map",
                ListScanner.CODEC);
    return switch (kind) {
      case ELEMENTS, DISTINCT, COUNT, FIND_ANY -> keys.encodeTask(kind);
      case SUMMARY -> ints.encodeTask(kind);
      case COLLECT -> {
        SerializableSupplier<Collector<Integer, ?, List<Integer>>> list = () -> Collectors.toList();
        yield task(keys, kind, out -> functions(out, list));
      }
      case COLLECT_INTO -> {
        SerializableSupplier<List<Integer>> supplier = ArrayList::new;
        SerializableBiConsumer<List<Integer>, Integer> add = (list, k) -> list.add(k);
        yield task(keys, kind, out -> functions(out, supplier, add));
      }
      case REDUCE -> {
        IntFunctions.BinaryOperator sum = (a, b) -> a + b;
        yield task(ints, kind, out -> functions(out, sum));
      }
      case FOLD -> {
        SerializableBiFunction<Long, Integer, Long> sum = (a, k) -> a + k;
        yield task(
            keys,
            kind,
            out -> {
              new ElementCodec(ListScanner.CODEC).write(0L, out);
              functions(out, sum);
            });
      }
      case MIN, MAX -> {
        SerializableComparator<Integer> order = (a, b) -> a - b;
        yield task(keys, kind, out -> functions(out, order));
      }
      case ANY_MATCH, ALL_MATCH -> {
        SerializablePredicate<Integer> odd = k -> k % 2 == 1;
        yield task(keys, kind, out -> functions(out, odd));
      }
      case FOR_EACH -> {
        SerializableConsumer<Integer> nothing = k -> {};
        yield task(keys, kind, out -> functions(out, nothing));
      }
      case FOR_EACH_WITH_CACHE -> {
        SerializableBiConsumer<Object, Integer> nothing = (cache, k) -> {};
        yield task(keys, kind, out -> functions(out, nothing));
      }
      case FIRST -> {
        SerializableComparator<Integer> order = (a, b) -> b - a;
        yield task(
            keys,
            kind,
            out -> {
              out.writeVarint(2);
              out.writeByte(PipelineTask.ORDER_BY_FUNCTION);
              functions(out, order);
            });
      }
    };
  }

  private void run(Terminal kind, byte[] task) {
    Output out = new Output(16);
    if (kind == Terminal.ELEMENTS || kind == Terminal.DISTINCT) {
      pipelineRunner
          .readTransformation(task)
          .run(out, consumer -> entries.forEach(e -> consumer.writeElements(e)));
    } else {
      pipelineRunner.readReduction(task).reduce(ListScanner.all(entries), out);
    }
  }

  @ParameterizedTest
  @EnumSource(Terminal.class)
  void everyTerminalRuns(Terminal kind) {
    byte[] task = ending(kind);
    run(kind, task);

    for (int length = 0; length < task.length; length++) {
      byte[] shorter = Arrays.copyOf(task, length);
      assertThatThrownBy(() -> pipelineRunner.readReduction(shorter))
          .isInstanceOf(MalformedException.class);
    }
    byte[] longer = Arrays.copyOf(task, task.length + 1);
    assertThatThrownBy(() -> pipelineRunner.readReduction(longer))
        .isInstanceOf(MalformedException.class);
  }

  /** A malformed request may only be refused: no error of the JVM, no endless loop. */
  @ParameterizedTest
  @EnumSource(Terminal.class)
  void corruptTasksAreRefused(Terminal kind) {
    Random random = new Random(kind.name().length());
    for (int i = 0; i < 1_000; i++) {
      byte[] task = ending(kind);
      for (int wrong = random.nextInt(3); wrong >= 0; wrong--) {
        task[random.nextInt(task.length)] = (byte) random.nextInt();
      }
      try {
        run(kind, task);
      } catch (MalformedException
          | IllegalArgumentException
          | IllegalStateException
          | ClassCastException e) {
        assertThat(e).isNotNull();
      }
    }
  }

  @Test
  void randomBytesAreRefused() {
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      byte[] noise = new byte[random.nextInt(60)];
      random.nextBytes(noise);
      if (noise.length > 1) {
        noise[0] = PipelineTask.VERSION;
      }
      assertThatThrownBy(() -> pipelineRunner.readReduction(noise))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void mismatchedStagesAreRefused() {
    for (PipelineStage.StageKind kind : PipelineStage.StageKind.values()) {
      if (kind.inputKind() != ElementKind.OBJECT) {
        byte[] task = alone(kind);
        assertThatThrownBy(() -> pipelineRunner.readReduction(task))
            .isInstanceOf(MalformedException.class)
            .hasMessageContaining(kind + " cannot follow")
            .hasMessageContaining("OBJECT");
      }
    }
  }

  @Test
  void summaryOfObjectsIsRefused() {
    byte[] task = RecordedStages.of(EntryPart.KEY).encodeTask(Terminal.SUMMARY);

    assertThatThrownBy(() -> pipelineRunner.readReduction(task))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("numbers");
  }

  @Test
  void tooManyFirstElementsAreRefused() {
    byte[] task =
        task(
            RecordedStages.of(EntryPart.KEY),
            Terminal.FIRST,
            out -> {
              out.writeVarint(PipelineTask.MAX_FIRST_ELEMENTS + 1);
              out.writeBoolean(false);
            });

    assertThatThrownBy(() -> pipelineRunner.readReduction(task))
        .isInstanceOf(MalformedException.class);
  }

  /** A task with this single stage, whose function may have the wrong type. */
  private static byte[] alone(PipelineStage.StageKind kind) {
    Object function = kind.takesFunction() ? NUMBER : null;
    return RecordedStages.of(EntryPart.KEY)
        .withStage(new PipelineStage(kind, function), "stage", ListScanner.CODEC)
        .encodeTask(Terminal.COUNT);
  }

  @Test
  void distinctIsPerSegmentAndAnswer() {
    SerializableFunction<Integer, String> same = key -> "same";
    byte[] task =
        RecordedStages.of(EntryPart.KEY)
            .withStage(
                new PipelineStage(PipelineStage.StageKind.MAP, same), "map", ListScanner.CODEC)
            .encodeTask(Terminal.DISTINCT);
    TaskInterpreter.Transformation transformation = pipelineRunner.readTransformation(task);

    // What was written of a segment is dropped when the segment is lost, and must be made again.
    for (int segment = 0; segment < 2; segment++) {
      List<Integer> made = new ArrayList<>();
      Output out = new Output(64);
      transformation.run(
          out, consumer -> entries.forEach(entry -> made.add(consumer.writeElements(entry))));
      assertThat(made).containsExactly(1, 0, 0);
      assertThat(new ElementCodec(ListScanner.CODEC).read(out.toInput())).isEqualTo("same");
    }
  }

  @Test
  void onlyKeyPipelinesNeedNoValues() {
    SerializableFunction<Object, String> same = key -> "same";
    for (EntryPart part : EntryPart.values()) {
      RecordedStages recordedStages =
          RecordedStages.of(part)
              .withStage(
                  new PipelineStage(PipelineStage.StageKind.MAP, same), "map", ListScanner.CODEC);
      assertThat(
              pipelineRunner.readReduction(recordedStages.encodeTask(Terminal.COUNT)).needsValues())
          .isEqualTo(part != EntryPart.KEY);
      assertThat(
              pipelineRunner
                  .readTransformation(recordedStages.encodeTask(Terminal.ELEMENTS))
                  .needsValues())
          .isEqualTo(part != EntryPart.KEY);
    }
  }

  /** A reduction that makes {@code count} elements of {@code bytes} bytes of every entry. */
  private TaskInterpreter.Reduction making(
      long count, int bytes, Terminal kind, Object... functions) {
    SerializableFunction<Integer, Stream<String>> much =
        key -> Stream.generate(() -> "x".repeat(bytes)).limit(count);
    return pipelineRunner.readReduction(
        RecordedStages.of(EntryPart.KEY)
            .withStage(
                new PipelineStage(PipelineStage.StageKind.FLAT_MAP, much),
                "flatMap",
                ListScanner.CODEC)
            .encodeTask(kind, "end", out -> functions(out, functions)));
  }

  @Test
  void derivedElementsAreWeighedWhereTheyMayBeRetained() {
    SerializableSupplier<Collector<String, ?, Long>> counting = Collectors::counting;
    List<Long> made = new ArrayList<>();
    TaskInterpreter.EntrySource watched = ListScanner.all(entries, made::add);

    making(5, 1_000, Terminal.COLLECT, counting).reduce(watched, new Output(64));
    assertThat(made).hasSize(15).allMatch(bytes -> bytes > 1_000 && bytes < 1_100);

    made.clear();
    making(5, 1_000, Terminal.COUNT).reduce(ListScanner.all(entries, made::add), new Output(64));
    IntFunctions.BinaryOperator sum = Integer::sum;
    pipelineRunner
        .readReduction(
            RecordedStages.of(EntryPart.KEY)
                .withStage(
                    new PipelineStage(PipelineStage.StageKind.MAP_TO_INT, NUMBER),
                    "mapToInt",
                    ListScanner.CODEC)
                .encodeTask(Terminal.REDUCE, "reduce", out -> functions(out, sum)))
        .reduce(ListScanner.all(entries, made::add), new Output(64));
    assertThat(made).as("of what only passes").isEmpty();
  }

  @Test
  void excessiveDerivedElementsAreRefusedEarly() {
    SerializableSupplier<Collector<String, ?, Long>> counting = Collectors::counting;

    assertThatThrownBy(
            () ->
                making(Long.MAX_VALUE, 100_000, Terminal.COLLECT, counting)
                    .reduce(ListScanner.all(entries), new Output(64)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "keeps more than " + PipelineRunner.WeighingIterator.MAX_KEPT_BYTES + " bytes")
        .hasMessageContaining("with key " + firstKey());
  }

  @Test
  void fewLongElementsDoNotInflateTheEstimate() {
    SerializableSupplier<Collector<String, ?, Long>> counting = Collectors::counting;
    Object longOnes = firstKey();
    SerializableFunction<Object, Stream<String>> uneven =
        key ->
            key.equals(longOnes)
                ? Stream.of("x".repeat(40 << 20))
                : Stream.generate(() -> "x").limit(1_000);
    Output out = new Output(64);

    pipelineRunner
        .readReduction(
            RecordedStages.of(EntryPart.KEY)
                .withStage(
                    new PipelineStage(PipelineStage.StageKind.FLAT_MAP, uneven),
                    "flatMap",
                    ListScanner.CODEC)
                .encodeTask(Terminal.COLLECT, "collect", end -> functions(end, counting)))
        .reduce(ListScanner.all(entries), out);
    assertThat(out.position()).isPositive();
  }

  /** An object that cannot be sent and counts the attempts. */
  private static final class Unsendable implements Serializable {
    private static final long serialVersionUID = 1;

    private transient int tried;

    private Object writeReplace() {
      tried++;
      throw new IllegalStateException("it stays where it is");
    }
  }

  @Test
  void weighingGivesUpOnUnencodableElements() {
    Unsendable one = new Unsendable();
    ElementCodec.SizeEstimator sizeEstimator =
        new ElementCodec(ListScanner.CODEC).new SizeEstimator();
    for (int i = 0; i < 1_000; i++) {
      assertThat(sizeEstimator.estimateBytes(one))
          .isEqualTo(ElementCodec.SizeEstimator.OBJECT_BYTES);
      assertThat(sizeEstimator.measureBytes(one))
          .isEqualTo(ElementCodec.SizeEstimator.OBJECT_BYTES);
    }
    assertThat(one.tried).isEqualTo(ElementCodec.SizeEstimator.MAX_REFUSALS);
    assertThat(sizeEstimator.estimateBytes("x".repeat(1_000)))
        .as("none is looked at")
        .isLessThan(100);
  }

  private Object firstKey() {
    Entry first = entries.getFirst();
    return ListScanner.CODEC.decodeKey(first.bytes(), 0, first.keyLength());
  }

  @Test
  void oversizedOutputOfAnEntryIsRefusedWhileWriting() {
    SerializableFunction<Integer, Stream<byte[]>> endless =
        key -> Stream.generate(() -> new byte[10_000]);
    SerializableFunction<Integer, byte[]> one = key -> new byte[20 << 20];
    for (PipelineStage stage :
        List.of(
            new PipelineStage(PipelineStage.StageKind.FLAT_MAP, endless),
            new PipelineStage(PipelineStage.StageKind.MAP, one))) {
      TaskInterpreter.Transformation transformation =
          pipelineRunner.readTransformation(
              RecordedStages.of(EntryPart.KEY)
                  .withStage(stage, "stage", ListScanner.CODEC)
                  .encodeTask(Terminal.ELEMENTS));
      Output out = new Output(64);

      assertThatThrownBy(
              () ->
                  transformation.run(
                      out, consumer -> entries.forEach(entry -> consumer.writeElements(entry))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "sends more than " + PipelineRunner.ElementWriter.MAX_MADE_BYTES + " bytes")
          .hasMessageContaining("with key " + firstKey());
      assertThat(out.array()).hasSizeLessThan(PipelineRunner.ElementWriter.MAX_MADE_BYTES + 1_000);
    }
  }

  @Test
  void untouchedEntryIsSentRegardlessOfLength() {
    SerializablePredicate<Object> any = value -> true;
    Entry longest = ListScanner.entryOf(1, new byte[PipelineRunner.ElementWriter.MAX_MADE_BYTES]);
    Output out = new Output(64);

    pipelineRunner
        .readTransformation(
            RecordedStages.of(EntryPart.ENTRY)
                .withStage(
                    new PipelineStage(PipelineStage.StageKind.FILTER, any),
                    "filter",
                    ListScanner.CODEC)
                .encodeTask(Terminal.ELEMENTS))
        .run(out, consumer -> assertThat(consumer.writeElements(longest)).isEqualTo(1));
    assertThat(out.position()).isGreaterThan(PipelineRunner.ElementWriter.MAX_MADE_BYTES);
  }

  @Test
  void everyStageAndTerminalHasACode() {
    // Positions in these lists are one byte on the wire, read as a varint.
    assertThat(PipelineStage.StageKind.values()).hasSizeLessThan(128);
    assertThat(Terminal.values()).hasSizeLessThan(128);
  }

  @Test
  void stagesKnowWhetherTheyKeepElements() {
    Set<PipelineStage.StageKind> fewerOrMore = EnumSet.noneOf(PipelineStage.StageKind.class);
    for (PipelineStage.StageKind kind : PipelineStage.StageKind.values()) {
      if (!kind.keepsCount()) {
        fewerOrMore.add(kind);
      }
    }

    assertThat(fewerOrMore)
        .hasSize(18)
        .allMatch(
            kind ->
                kind.name().contains("FILTER")
                    || kind.name().contains("FLAT_MAP")
                    || kind.name().contains("MULTI"));
  }

  @Test
  void boxesAndUnboxesEveryElementKind() {
    assertThat(ElementKind.INT.boxed(IntStream.of(1))).containsExactly(1);
    assertThat(ElementKind.LONG.boxed(LongStream.of(1))).containsExactly(1L);
    assertThat(ElementKind.DOUBLE.boxed(DoubleStream.of(1))).containsExactly(1.0);
    assertThat(ElementKind.OBJECT.boxed(Stream.of("a"))).containsExactly("a");
    for (ElementKind elementKind : ElementKind.values()) {
      Object one =
          switch (elementKind) {
            case OBJECT -> "a";
            case INT -> 1;
            case LONG -> 1L;
            case DOUBLE -> 1.0;
          };
      assertThat(elementKind.boxed(elementKind.unboxed(Stream.of(one)))).containsExactly(one);
    }
    assertThatThrownBy(() -> ElementKind.INT.boxed(ElementKind.INT.unboxed(Stream.of(1L))).toList())
        .isInstanceOf(ClassCastException.class);
  }
}
