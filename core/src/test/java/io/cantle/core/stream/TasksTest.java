package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.publish.Tasks;
import io.cantle.core.stream.Pipelines.Elements;
import io.cantle.core.stream.Task.Recording;
import io.cantle.core.stream.Task.Terminal;
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

/** Tasks as they come over the wire: of every kind, of no kind, and corrupt. */
class TasksTest {
  private static final SerializableToIntFunction<Integer> NUMBER = Integer::intValue;

  private final Pipelines pipelines =
      new Pipelines(ListScans.CODEC, new Decoded(ListScans.CODEC, 0), name -> ListScans.CACHE);
  private final List<Entry> entries = Flight.some(1, 3).stream().map(ListScans::entry).toList();

  private static void functions(Output out, Object... functions) {
    for (Object function : functions) {
      ListScans.CODEC.encodeFunction(function, out);
    }
  }

  private static byte[] task(Recording recording, Terminal.Kind kind, Consumer<Output> needs) {
    return recording.end(kind, "end", needs);
  }

  /** A task over keys that ends in this kind. */
  private static byte[] ending(Terminal.Kind kind) {
    Recording keys = Recording.of(Part.KEY);
    Recording ints =
        keys.stage(new Stage(Stage.Kind.MAP_TO_INT, NUMBER), "mapToInt", ListScans.CODEC)
            .stage(
                new Stage(Stage.Kind.INT_MAP, (IntFunctions.UnaryOperator) n -> n),
                "map",
                ListScans.CODEC);
    return switch (kind) {
      case ELEMENTS, DISTINCT, COUNT, FIND_ANY -> keys.end(kind);
      case SUMMARY -> ints.end(kind);
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
              new ElementForm(ListScans.CODEC).write(0L, out);
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
      case FOR_EACH_IN -> {
        SerializableBiConsumer<Object, Integer> nothing = (cache, k) -> {};
        yield task(
            keys,
            kind,
            out -> {
              out.writeString("flights");
              functions(out, nothing);
            });
      }
      case FIRST -> {
        SerializableComparator<Integer> order = (a, b) -> b - a;
        yield task(
            keys,
            kind,
            out -> {
              out.writeVarint(2);
              out.writeByte(Task.ORDER_BY_FUNCTION);
              functions(out, order);
            });
      }
    };
  }

  private void run(Terminal.Kind kind, byte[] task) {
    Output out = new Output(16);
    if (kind == Terminal.Kind.ELEMENTS || kind == Terminal.Kind.DISTINCT) {
      pipelines.transformation(task).run(out, feed -> entries.forEach(e -> feed.take(e)));
    } else {
      pipelines.reduction(task).reduce(ListScans.all(entries), out);
    }
  }

  @ParameterizedTest
  @EnumSource(Terminal.Kind.class)
  void runWhateverTheirEnd(Terminal.Kind kind) {
    byte[] task = ending(kind);
    run(kind, task);

    for (int length = 0; length < task.length; length++) {
      byte[] shorter = Arrays.copyOf(task, length);
      assertThatThrownBy(() -> pipelines.reduction(shorter)).isInstanceOf(MalformedException.class);
    }
    byte[] longer = Arrays.copyOf(task, task.length + 1);
    assertThatThrownBy(() -> pipelines.reduction(longer)).isInstanceOf(MalformedException.class);
  }

  /** Nothing but what a request may be refused with: no error of the machine, no loop. */
  @ParameterizedTest
  @EnumSource(Terminal.Kind.class)
  void surviveCorruption(Terminal.Kind kind) {
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
  void refuseNoise() {
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      byte[] noise = new byte[random.nextInt(60)];
      random.nextBytes(noise);
      if (noise.length > 1) {
        noise[0] = Task.VERSION;
      }
      assertThatThrownBy(() -> pipelines.reduction(noise)).isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void refuseAStageThatDoesNotFitToTheOneBefore() {
    for (Stage.Kind kind : Stage.Kind.values()) {
      if (kind.from() != Shape.OBJECT) {
        byte[] task = alone(kind);
        assertThatThrownBy(() -> pipelines.reduction(task))
            .isInstanceOf(MalformedException.class)
            .hasMessageContaining(kind + " cannot follow")
            .hasMessageContaining("OBJECT");
      }
    }
  }

  @Test
  void refuseASummaryOfObjects() {
    byte[] task = Recording.of(Part.KEY).end(Terminal.Kind.SUMMARY);

    assertThatThrownBy(() -> pipelines.reduction(task))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("numbers");
  }

  @Test
  void refuseTooManyFirstOnes() {
    byte[] task =
        task(
            Recording.of(Part.KEY),
            Terminal.Kind.FIRST,
            out -> {
              out.writeVarint(Task.FIRST_MAX + 1);
              out.writeBoolean(false);
            });

    assertThatThrownBy(() -> pipelines.reduction(task)).isInstanceOf(MalformedException.class);
  }

  /** A stage that stands alone, its function of whatever kind. */
  private static byte[] alone(Stage.Kind kind) {
    Object function = kind.takesFunction() ? NUMBER : null;
    return Recording.of(Part.KEY)
        .stage(new Stage(kind, function), "stage", ListScans.CODEC)
        .end(Terminal.Kind.COUNT);
  }

  @Test
  void eachSegmentAndAnswerHasEqualElementsAnew() {
    SerializableFunction<Integer, String> same = key -> "same";
    byte[] task =
        Recording.of(Part.KEY)
            .stage(new Stage(Stage.Kind.MAP, same), "map", ListScans.CODEC)
            .end(Terminal.Kind.DISTINCT);
    Tasks.Transformation transformation = pipelines.transformation(task);

    // What was written of a segment is dropped when that is lost, and must come again.
    for (int segment = 0; segment < 2; segment++) {
      List<Integer> made = new ArrayList<>();
      Output out = new Output(64);
      transformation.run(out, feed -> entries.forEach(entry -> made.add(feed.take(entry))));
      assertThat(made).containsExactly(1, 0, 0);
      assertThat(new ElementForm(ListScans.CODEC).read(out.toInput())).isEqualTo("same");
    }
  }

  @Test
  void onlyWhatBeginsWithKeysNeedsNoValues() {
    SerializableFunction<Object, String> same = key -> "same";
    for (Part part : Part.values()) {
      Recording recording =
          Recording.of(part).stage(new Stage(Stage.Kind.MAP, same), "map", ListScans.CODEC);
      assertThat(pipelines.reduction(recording.end(Terminal.Kind.COUNT)).needsValues())
          .isEqualTo(part != Part.KEY);
      assertThat(pipelines.transformation(recording.end(Terminal.Kind.ELEMENTS)).needsValues())
          .isEqualTo(part != Part.KEY);
    }
  }

  /** A number of so many bytes each, of every entry, that end so. */
  private Tasks.Reduction making(long count, int bytes, Terminal.Kind kind, Object... functions) {
    SerializableFunction<Integer, Stream<String>> much =
        key -> Stream.generate(() -> "x".repeat(bytes)).limit(count);
    return pipelines.reduction(
        Recording.of(Part.KEY)
            .stage(new Stage(Stage.Kind.FLAT_MAP, much), "flatMap", ListScans.CODEC)
            .end(kind, "end", out -> functions(out, functions)));
  }

  @Test
  void whatIsMadeOfEntriesIsWeighedWhereItMayBeKept() {
    SerializableSupplier<Collector<String, ?, Long>> counting = Collectors::counting;
    List<Long> made = new ArrayList<>();
    Tasks.Entries watched = ListScans.all(entries, made::add);

    making(5, 1_000, Terminal.Kind.COLLECT, counting).reduce(watched, new Output(64));
    assertThat(made).hasSize(15).allMatch(bytes -> bytes > 1_000 && bytes < 1_100);

    made.clear();
    making(5, 1_000, Terminal.Kind.COUNT).reduce(ListScans.all(entries, made::add), new Output(64));
    IntFunctions.BinaryOperator sum = Integer::sum;
    pipelines
        .reduction(
            Recording.of(Part.KEY)
                .stage(new Stage(Stage.Kind.MAP_TO_INT, NUMBER), "mapToInt", ListScans.CODEC)
                .end(Terminal.Kind.REDUCE, "reduce", out -> functions(out, sum)))
        .reduce(ListScans.all(entries, made::add), new Output(64));
    assertThat(made).as("of what only passes").isEmpty();
  }

  @Test
  void muchThatIsMadeOfLittleIsRefusedBeforeItFillsTheMemory() {
    SerializableSupplier<Collector<String, ?, Long>> counting = Collectors::counting;

    assertThatThrownBy(
            () ->
                making(Long.MAX_VALUE, 100_000, Terminal.Kind.COLLECT, counting)
                    .reduce(ListScans.all(entries), new Output(64)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("keeps more than " + Elements.Weighed.KEPT_MAX_BYTES + " bytes")
        .hasMessageContaining("with key " + firstKey());
  }

  @Test
  void aFewThatAreLongDoNotMakeManyShortOnesTooMuch() {
    SerializableSupplier<Collector<String, ?, Long>> counting = Collectors::counting;
    Object longOnes = firstKey();
    SerializableFunction<Object, Stream<String>> uneven =
        key ->
            key.equals(longOnes)
                ? Stream.of("x".repeat(40 << 20))
                : Stream.generate(() -> "x").limit(1_000);
    Output out = new Output(64);

    pipelines
        .reduction(
            Recording.of(Part.KEY)
                .stage(new Stage(Stage.Kind.FLAT_MAP, uneven), "flatMap", ListScans.CODEC)
                .end(Terminal.Kind.COLLECT, "collect", end -> functions(end, counting)))
        .reduce(ListScans.all(entries), out);
    assertThat(out.position()).isPositive();
  }

  /** Counts how often somebody tries to send it. */
  private static final class Unsendable implements Serializable {
    private static final long serialVersionUID = 1;

    private transient int tried;

    private Object writeReplace() {
      tried++;
      throw new IllegalStateException("it stays where it is");
    }
  }

  @Test
  void whatCannotBeSentIsNotTriedForEverToWeighIt() {
    Unsendable one = new Unsendable();
    ElementForm.Weight weight = new ElementForm(ListScans.CODEC).new Weight();
    for (int i = 0; i < 1_000; i++) {
      assertThat(weight.of(one)).isEqualTo(ElementForm.Weight.OBJECT_BYTES);
      assertThat(weight.exactly(one)).isEqualTo(ElementForm.Weight.OBJECT_BYTES);
    }
    assertThat(one.tried).isEqualTo(ElementForm.Weight.REFUSED_MAX);
    assertThat(weight.of("x".repeat(1_000))).as("none is looked at").isLessThan(100);
  }

  private Object firstKey() {
    Entry first = entries.getFirst();
    return ListScans.CODEC.decodeKey(first.bytes(), 0, first.keyLength());
  }

  @Test
  void whatAnEntryIsMadeIntoIsRefusedWhileItIsWritten() {
    SerializableFunction<Integer, Stream<byte[]>> endless =
        key -> Stream.generate(() -> new byte[10_000]);
    SerializableFunction<Integer, byte[]> one = key -> new byte[20 << 20];
    for (Stage stage :
        List.of(new Stage(Stage.Kind.FLAT_MAP, endless), new Stage(Stage.Kind.MAP, one))) {
      Tasks.Transformation transformation =
          pipelines.transformation(
              Recording.of(Part.KEY)
                  .stage(stage, "stage", ListScans.CODEC)
                  .end(Terminal.Kind.ELEMENTS));
      Output out = new Output(64);

      assertThatThrownBy(
              () -> transformation.run(out, feed -> entries.forEach(entry -> feed.take(entry))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("sends more than " + Elements.Pushed.MADE_MAX_BYTES + " bytes")
          .hasMessageContaining("with key " + firstKey());
      assertThat(out.array()).hasSizeLessThan(Elements.Pushed.MADE_MAX_BYTES + 1_000);
    }
  }

  @Test
  void anEntryThatOnlyPassesIsSentHoweverLongItIs() {
    SerializablePredicate<Object> any = value -> true;
    Entry longest = ListScans.entryOf(1, new byte[Elements.Pushed.MADE_MAX_BYTES]);
    Output out = new Output(64);

    pipelines
        .transformation(
            Recording.of(Part.ENTRY)
                .stage(new Stage(Stage.Kind.FILTER, any), "filter", ListScans.CODEC)
                .end(Terminal.Kind.ELEMENTS))
        .run(out, feed -> assertThat(feed.take(longest)).isEqualTo(1));
    assertThat(out.position()).isGreaterThan(Elements.Pushed.MADE_MAX_BYTES);
  }

  @Test
  void haveACodeForEveryStageAndEnd() {
    // Places in these lists go over the wire as one byte, read as a number of variable length.
    assertThat(Stage.Kind.values()).hasSizeLessThan(128);
    assertThat(Terminal.Kind.values()).hasSizeLessThan(128);
  }

  @Test
  void knowWhichStagesKeepTheirElements() {
    Set<Stage.Kind> fewerOrMore = EnumSet.noneOf(Stage.Kind.class);
    for (Stage.Kind kind : Stage.Kind.values()) {
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
  void boxAndUnboxEveryShape() {
    assertThat(Shape.INT.boxed(IntStream.of(1))).containsExactly(1);
    assertThat(Shape.LONG.boxed(LongStream.of(1))).containsExactly(1L);
    assertThat(Shape.DOUBLE.boxed(DoubleStream.of(1))).containsExactly(1.0);
    assertThat(Shape.OBJECT.boxed(Stream.of("a"))).containsExactly("a");
    for (Shape shape : Shape.values()) {
      Object one =
          switch (shape) {
            case OBJECT -> "a";
            case INT -> 1;
            case LONG -> 1L;
            case DOUBLE -> 1.0;
          };
      assertThat(shape.boxed(shape.unboxed(Stream.of(one)))).containsExactly(one);
    }
    assertThatThrownBy(() -> Shape.INT.boxed(Shape.INT.unboxed(Stream.of(1L))).toList())
        .isInstanceOf(ClassCastException.class);
  }
}
