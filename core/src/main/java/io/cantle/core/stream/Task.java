package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.Scans.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collector;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A recorded pipeline as an owner reads it. Its bytes are those of a {@link Recording}:
 *
 * <pre>
 * version   byte, 2
 * part      byte, place in {@link Part}
 * stages    varint, how many; then for each: byte, place in {@link Stage.Kind}; its function if any
 * terminal  byte, place in {@link Terminal.Kind}; then what that kind needs
 * </pre>
 *
 * <p><b>Threading:</b> immutable; the functions are those of the user and run where they are
 * called.
 *
 * @param part what of an entry is the first element
 * @param stages what happens to an element, in order
 * @param shape what an element is after the stages
 * @param terminal what becomes of the elements
 */
record Task(Part part, List<Stage> stages, Shape shape, Terminal terminal) {
  static final int VERSION = 2;
  static final int STAGES_MAX = 1_000;

  /** Above this a pipeline surely captures data that belongs into a cache. */
  static final int BYTES_MAX = 4 << 20;

  /** For so many the first in an order are picked by the owners: their answers stay small. */
  static final int FIRST_MAX = 10_000;

  /** What brings elements into order, as one byte, followed by a function in the last case. */
  static final int NATURAL_ORDER = 0;

  static final int REVERSE_ORDER = 1;
  static final int ORDER_BY_FUNCTION = 2;

  /** The codes on the wire are places in these lists. */
  static final List<Part> PARTS = List.of(Part.values());

  static final List<Stage.Kind> STAGES = List.of(Stage.Kind.values());
  static final List<Terminal.Kind> TERMINALS = List.of(Terminal.Kind.values());

  /**
   * Reads a task to its end.
   *
   * @throws MalformedException when it is none, or a function in it is not allowed here
   */
  static Task read(byte[] bytes, Codec codec) {
    if (bytes.length > BYTES_MAX) {
      throw new MalformedException(
          "a task has at most " + BYTES_MAX + " bytes and not " + bytes.length);
    }
    Input in = new Input(bytes);
    int version = in.readByte();
    if (version != VERSION) {
      throw new MalformedException("a task has version " + VERSION + " and not " + version);
    }
    Part part = PARTS.get(in.readCount(PARTS.size() - 1));
    int count = in.readCount(STAGES_MAX);
    List<Stage> stages = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Stage.Kind kind = STAGES.get(in.readCount(STAGES.size() - 1));
      stages.add(new Stage(kind, kind.takesFunction() ? codec.decodeFunction(in) : null));
    }
    Shape shape = Stage.shape(stages);
    Terminal terminal;
    try {
      terminal = terminal(TERMINALS.get(in.readCount(TERMINALS.size() - 1)), shape, in, codec);
    } catch (ClassCastException e) {
      throw new MalformedException("a task holds a function of another kind: " + e.getMessage());
    }
    if (in.remaining() > 0) {
      throw new MalformedException(in.remaining() + " bytes follow the end of a task");
    }
    return new Task(part, List.copyOf(stages), shape, terminal);
  }

  @SuppressWarnings("unchecked")
  private static Terminal terminal(Terminal.Kind kind, Shape shape, Input in, Codec codec) {
    return switch (kind) {
      case ELEMENTS -> new Terminal.Elements(false);
      case DISTINCT -> new Terminal.Elements(true);
      case COUNT -> new Terminal.Count();
      case COLLECT ->
          new Terminal.Collect(
              (Supplier<Collector<Object, Object, Object>>) codec.decodeFunction(in));
      case COLLECT_INTO -> {
        Supplier<Object> supplier = (Supplier<Object>) codec.decodeFunction(in);
        yield new Terminal.CollectInto(supplier, shape.accumulator(codec.decodeFunction(in)));
      }
      case REDUCE -> new Terminal.Reduce(shape.binary(codec.decodeFunction(in)));
      case FOLD -> {
        Object identity = new ElementForm(codec).read(in);
        yield new Terminal.Fold(
            identity, (BiFunction<Object, Object, Object>) codec.decodeFunction(in));
      }
      case MIN -> new Terminal.Min((Comparator<Object>) codec.decodeFunction(in));
      case MAX -> new Terminal.Max((Comparator<Object>) codec.decodeFunction(in));
      case ANY_MATCH -> new Terminal.AnyMatch(shape.predicate(codec.decodeFunction(in)));
      case ALL_MATCH -> new Terminal.AllMatch(shape.predicate(codec.decodeFunction(in)));
      case FIND_ANY -> new Terminal.FindAny();
      case FOR_EACH -> new Terminal.ForEach(shape.consumer(codec.decodeFunction(in)));
      case FOR_EACH_IN -> {
        String cache = in.readString();
        Object action = codec.decodeFunction(in);
        yield new Terminal.ForEachIn(
            cache,
            shape == Shape.OBJECT
                ? (BiConsumer<Object, Object>) action
                : shape.accumulator(action));
      }
      case SUMMARY -> {
        if (shape == Shape.OBJECT) {
          throw new MalformedException("a summary is made of numbers");
        }
        yield new Terminal.Summary();
      }
      case FIRST -> {
        int first = in.readCount(FIRST_MAX);
        int order = in.readByte();
        yield new Terminal.First(
            first,
            switch (order) {
              case NATURAL_ORDER -> Sorting.NATURAL;
              case REVERSE_ORDER -> Sorting.NATURAL.reversed();
              case ORDER_BY_FUNCTION -> (Comparator<Object>) codec.decodeFunction(in);
              default -> throw new MalformedException("there is no order " + order);
            });
      }
    };
  }

  /** Whether stages make other elements than there were, and the result may hold all of them. */
  boolean keepsWhatItMakes() {
    return stages.stream().anyMatch(stage -> !stage.kind().keepsElements())
        && switch (terminal) {
          case Terminal.Collect _, Terminal.CollectInto _, Terminal.Fold _, Terminal.First _ ->
              true;
          // Of numbers it is one; what is made of objects may grow with each.
          case Terminal.Reduce _ -> shape == Shape.OBJECT;
          case Terminal.Min _, Terminal.Max _, Terminal.FindAny _, Terminal.Count _ -> false;
          case Terminal.AnyMatch _, Terminal.AllMatch _, Terminal.Summary _ -> false;
          case Terminal.ForEach _, Terminal.ForEachIn _, Terminal.Elements _ -> false;
        };
  }

  /** Whether it looks at values: stages, and what ends it, are given what their source tells. */
  boolean needsValues() {
    return part != Part.KEY;
  }

  /**
   * The operation that ends a recorded pipeline, as far as the owners have a part in it: what
   * combines and finishes their results stays with the node that asked. The elements of streams of
   * primitives are boxed here, but for counts and summaries.
   *
   * <p><b>Threading:</b> immutable; the functions are those of the user and run where they are
   * called.
   */
  sealed interface Terminal {

    /** How an operation is named on the wire; the code is the place in this list. */
    enum Kind {
      ELEMENTS,
      COUNT,
      COLLECT,
      COLLECT_INTO,
      REDUCE,
      FOLD,
      MIN,
      MAX,
      ANY_MATCH,
      ALL_MATCH,
      FIND_ANY,
      FOR_EACH,
      FOR_EACH_IN,
      SUMMARY,
      FIRST,
      DISTINCT
    }

    /**
     * No end: the elements themselves are wanted.
     *
     * @param distinct whether of equal ones of a segment one will do for each answer
     */
    record Elements(boolean distinct) implements Terminal {}

    /** {@link Stream#count}. */
    record Count() implements Terminal {}

    /** {@link Stream#collect(Collector)}. */
    record Collect(Supplier<Collector<Object, Object, Object>> collector) implements Terminal {}

    /** {@link Stream#collect(Supplier, BiConsumer, BiConsumer)}. */
    record CollectInto(Supplier<Object> supplier, BiConsumer<Object, Object> accumulator)
        implements Terminal {}

    /** {@link Stream#reduce(BinaryOperator)}, and the one with an identity, which stays away. */
    record Reduce(BinaryOperator<Object> accumulator) implements Terminal {}

    /** {@link Stream#reduce(Object, BiFunction, BinaryOperator)}. */
    record Fold(@Nullable Object identity, BiFunction<Object, Object, Object> accumulator)
        implements Terminal {}

    /** {@link Stream#min}. */
    record Min(Comparator<Object> comparator) implements Terminal {}

    /** {@link Stream#max}. */
    record Max(Comparator<Object> comparator) implements Terminal {}

    /** {@link Stream#anyMatch}; that none matches is its opposite. */
    record AnyMatch(Predicate<Object> predicate) implements Terminal {}

    /** {@link Stream#allMatch}. */
    record AllMatch(Predicate<Object> predicate) implements Terminal {}

    /** {@link Stream#findAny}. */
    record FindAny() implements Terminal {}

    /** {@link Stream#forEach}. */
    record ForEach(Consumer<Object> action) implements Terminal {}

    /** For each element, with the cache of this name. */
    record ForEachIn(String cache, BiConsumer<Object, Object> action) implements Terminal {}

    /** {@link IntStream#summaryStatistics} and its kin, of which sums and averages are made. */
    record Summary() implements Terminal {}

    /** The first so many in an order. */
    record First(int count, Comparator<Object> order) implements Terminal {}
  }

  /**
   * The part of a stream that owners run, as the bytes that will be sent. Functions are encoded by
   * the call that brings them, so that a refusal points at its cause.
   *
   * <p><b>Threading:</b> immutable; the array is not to be changed.
   *
   * @param part what of an entry is the first element
   * @param stages how many stages there are
   * @param shape what an element is after them
   * @param elementsChanged whether they make other elements than there were
   * @param bytes the stages
   */
  @SuppressWarnings("ArrayRecordComponent") // Recordings are not compared.
  record Recording(Part part, int stages, Shape shape, boolean elementsChanged, byte[] bytes) {

    /** No stage yet. */
    static Recording of(Part part) {
      return new Recording(part, 0, Shape.OBJECT, false, new byte[0]);
    }

    /** Whether there are stages, so that elements are more than what is stored. */
    boolean hasStages() {
      return stages > 0;
    }

    /** Whether no two elements are equal, as keys and entries are until they are mapped. */
    boolean distinct() {
      return part != Part.VALUE && !elementsChanged;
    }

    /**
     * With one more stage.
     *
     * @throws IllegalArgumentException when its function cannot be sent
     */
    Recording stage(Stage stage, String method, Codec codec) {
      if (stages == Task.STAGES_MAX) {
        throw new IllegalArgumentException(
            method + " would be stage " + (stages + 1) + ", and the limit is " + Task.STAGES_MAX);
      }
      Output out = new Output(bytes.length + 256);
      out.write(bytes);
      out.writeByte(Task.STAGES.indexOf(stage.kind()));
      Object function = stage.function();
      if (function != null) {
        function(method, function, codec, out);
      }
      return new Recording(
          part,
          stages + 1,
          stage.kind().to(),
          elementsChanged || !stage.kind().keepsElements(),
          out.toByteArray());
    }

    /** The whole, with an end that needs nothing. */
    byte[] end(Terminal.Kind kind) {
      return end(kind, "", out -> {});
    }

    /**
     * The whole, with its end.
     *
     * @param needs writes what the end needs
     */
    byte[] end(Terminal.Kind kind, String method, Consumer<Output> needs) {
      Output out = new Output(bytes.length + 256);
      out.writeByte(Task.VERSION);
      out.writeByte(Task.PARTS.indexOf(part));
      out.writeVarint(stages);
      out.write(bytes);
      out.writeByte(Task.TERMINALS.indexOf(kind));
      needs.accept(out);
      bounded(method, out);
      return out.toByteArray();
    }

    /**
     * Writes a function.
     *
     * @throws IllegalArgumentException when it cannot be sent
     */
    void function(String method, Object function, Codec codec, Output out) {
      try {
        codec.encodeFunction(function, out);
      } catch (IllegalArgumentException e) {
        throw refused(method, "the function given to it", e);
      }
      bounded(method, out);
    }

    /**
     * Writes a value.
     *
     * @throws IllegalArgumentException when it cannot be sent
     */
    void value(String method, @Nullable Object value, ElementForm form, Output out) {
      try {
        form.write(value, out);
      } catch (IllegalArgumentException e) {
        throw refused(method, "the identity given to it", e);
      }
    }

    private void bounded(String method, Output out) {
      if (out.position() > Task.BYTES_MAX) {
        throw new IllegalArgumentException(
            method
                + " after "
                + stages
                + " stages makes the stream's description "
                + out.position()
                + " bytes long, and the limit is "
                + Task.BYTES_MAX
                + ": put what its functions capture into a cache");
      }
    }

    private IllegalArgumentException refused(
        String method, String what, IllegalArgumentException cause) {
      return new IllegalArgumentException(
          method
              + " after "
              + stages
              + " stages of a stream cannot be sent to the owners: "
              + what
              + " is refused: "
              + cause.getMessage()
              + ". To run it on this node, pass it as the java.util.function type",
          cause);
    }
  }
}
