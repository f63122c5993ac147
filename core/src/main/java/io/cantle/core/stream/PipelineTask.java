package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.wire.PullRequest.Part;
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
 * A recorded pipeline as an owner reads it. Its bytes are those of a {@link RecordedStages}:
 *
 * <pre>
 * version   byte, 2
 * part      byte, position in {@link Part}
 * stages    varint, how many; then for each:
 *           byte, position in {@link PipelineStage.Kind}; its function if it takes one
 * terminal  byte, position in {@link Terminal.Kind}; then what that kind needs
 * </pre>
 *
 * <p><b>Threading:</b> immutable; the functions are the user's and run where they are called.
 *
 * @param part the part of an entry that is the first element
 * @param stages what happens to an element, in order
 * @param elementKind the kind of an element after the stages
 * @param terminal what becomes of the elements
 */
record PipelineTask(
    Part part, List<PipelineStage> stages, ElementKind elementKind, Terminal terminal) {
  static final int VERSION = 2;
  static final int MAX_STAGES = 1_000;

  /** A pipeline above this size surely captures data that belongs into a cache. */
  static final int MAX_BYTES = 4 << 20;

  /** The most first elements in an order that owners select, so that their answers stay small. */
  static final int MAX_FIRST_ELEMENTS = 10_000;

  /** How to order elements, as one byte; in the last case a function follows. */
  static final int NATURAL_ORDER = 0;

  static final int REVERSE_ORDER = 1;
  static final int ORDER_BY_FUNCTION = 2;

  /**
   * Reads a task to its end.
   *
   * @throws MalformedException if it is malformed, or a function in it is not allowed here
   */
  static PipelineTask read(byte[] bytes, Codec codec) {
    if (bytes.length > MAX_BYTES) {
      throw new MalformedException(
          "a task has at most " + MAX_BYTES + " bytes and not " + bytes.length);
    }
    Input in = new Input(bytes);
    int version = in.readByte();
    if (version != VERSION) {
      throw new MalformedException("a task has version " + VERSION + " and not " + version);
    }
    Part part = in.readEnum(Part.values());
    List<PipelineStage> stages = in.readList(MAX_STAGES, stage -> readStage(stage, codec));
    ElementKind elementKind = PipelineStage.outputKindOf(stages);
    Terminal terminal;
    try {
      terminal = readTerminal(in.readEnum(Terminal.Kind.values()), elementKind, in, codec);
    } catch (ClassCastException e) {
      throw new MalformedException("a function in a task has the wrong type: " + e.getMessage());
    }
    if (in.remaining() > 0) {
      throw new MalformedException(in.remaining() + " bytes follow the end of a task");
    }
    return new PipelineTask(part, List.copyOf(stages), elementKind, terminal);
  }

  private static PipelineStage readStage(Input in, Codec codec) {
    PipelineStage.Kind kind = in.readEnum(PipelineStage.Kind.values());
    return new PipelineStage(kind, kind.takesFunction() ? codec.decodeFunction(in) : null);
  }

  @SuppressWarnings("unchecked")
  private static Terminal readTerminal(
      Terminal.Kind kind, ElementKind elementKind, Input in, Codec codec) {
    return switch (kind) {
      case ELEMENTS -> new Terminal.Elements(false);
      case DISTINCT -> new Terminal.Elements(true);
      case COUNT -> new Terminal.Count();
      case COLLECT ->
          new Terminal.Collect(
              (Supplier<Collector<Object, Object, Object>>) codec.decodeFunction(in));
      case COLLECT_INTO -> {
        Supplier<Object> supplier = (Supplier<Object>) codec.decodeFunction(in);
        yield new Terminal.CollectInto(supplier, elementKind.accumulator(codec.decodeFunction(in)));
      }
      case REDUCE -> new Terminal.Reduce(elementKind.binaryOperator(codec.decodeFunction(in)));
      case FOLD -> {
        Object identity = new ElementCodec(codec).read(in);
        yield new Terminal.Fold(
            identity, (BiFunction<Object, Object, Object>) codec.decodeFunction(in));
      }
      case MIN -> new Terminal.Min((Comparator<Object>) codec.decodeFunction(in));
      case MAX -> new Terminal.Max((Comparator<Object>) codec.decodeFunction(in));
      case ANY_MATCH -> new Terminal.AnyMatch(elementKind.predicate(codec.decodeFunction(in)));
      case ALL_MATCH -> new Terminal.AllMatch(elementKind.predicate(codec.decodeFunction(in)));
      case FIND_ANY -> new Terminal.FindAny();
      case FOR_EACH -> new Terminal.ForEach(elementKind.consumer(codec.decodeFunction(in)));
      case FOR_EACH_WITH_CACHE -> {
        String cache = in.readString();
        Object action = codec.decodeFunction(in);
        yield new Terminal.ForEachWithCache(
            cache,
            elementKind == ElementKind.OBJECT
                ? (BiConsumer<Object, Object>) action
                : elementKind.accumulator(action));
      }
      case SUMMARY -> {
        if (elementKind == ElementKind.OBJECT) {
          throw new MalformedException("only numbers have a summary");
        }
        yield new Terminal.Summary();
      }
      case FIRST -> {
        int count = in.readCount(MAX_FIRST_ELEMENTS);
        int order = in.readByte();
        yield new Terminal.First(
            count,
            switch (order) {
              case NATURAL_ORDER -> ExternalSort.NATURAL_ORDER;
              case REVERSE_ORDER -> ExternalSort.NATURAL_ORDER.reversed();
              case ORDER_BY_FUNCTION -> (Comparator<Object>) codec.decodeFunction(in);
              default -> throw new MalformedException("unknown order of elements: " + order);
            });
      }
    };
  }

  /** Whether the stages make new elements, and the result may hold all of them. */
  boolean retainsMadeElements() {
    return stages.stream().anyMatch(stage -> !stage.kind().keepsElements())
        && switch (terminal) {
          case Terminal.Collect _, Terminal.CollectInto _, Terminal.Fold _, Terminal.First _ ->
              true;
          // The result is one number; an object may grow with each element.
          case Terminal.Reduce _ -> elementKind == ElementKind.OBJECT;
          case Terminal.Min _, Terminal.Max _, Terminal.FindAny _, Terminal.Count _ -> false;
          case Terminal.AnyMatch _, Terminal.AllMatch _, Terminal.Summary _ -> false;
          case Terminal.ForEach _, Terminal.ForEachWithCache _, Terminal.Elements _ -> false;
        };
  }

  /**
   * Whether it reads values: the stages and the terminal operation get what the source delivers.
   */
  boolean needsValues() {
    return part != Part.KEY;
  }

  /**
   * The terminal operation of a recorded pipeline, as far as owners have a part in it. The
   * functions that combine and finish their results stay on the calling node. Elements of primitive
   * streams are boxed here, except for counts and summaries.
   *
   * <p><b>Threading:</b> immutable; the functions are the user's and run where they are called.
   */
  sealed interface Terminal {

    /** The names of the operations on the wire; the code is the position in this list. */
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
      FOR_EACH_WITH_CACHE,
      SUMMARY,
      FIRST,
      DISTINCT
    }

    /**
     * No terminal operation: the elements themselves are wanted.
     *
     * @param distinct whether one of several equal elements of a segment is enough for each answer
     */
    record Elements(boolean distinct) implements Terminal {}

    /** {@link Stream#count}. */
    record Count() implements Terminal {}

    /** {@link Stream#collect(Collector)}. */
    record Collect(Supplier<Collector<Object, Object, Object>> collector) implements Terminal {}

    /** {@link Stream#collect(Supplier, BiConsumer, BiConsumer)}. */
    record CollectInto(Supplier<Object> supplier, BiConsumer<Object, Object> accumulator)
        implements Terminal {}

    /** {@link Stream#reduce(BinaryOperator)}, and the one with an identity, which is not sent. */
    record Reduce(BinaryOperator<Object> accumulator) implements Terminal {}

    /** {@link Stream#reduce(Object, BiFunction, BinaryOperator)}. */
    record Fold(@Nullable Object identity, BiFunction<Object, Object, Object> accumulator)
        implements Terminal {}

    /** {@link Stream#min}. */
    record Min(Comparator<Object> comparator) implements Terminal {}

    /** {@link Stream#max}. */
    record Max(Comparator<Object> comparator) implements Terminal {}

    /** {@link Stream#anyMatch}; {@code noneMatch} is its negation. */
    record AnyMatch(Predicate<Object> predicate) implements Terminal {}

    /** {@link Stream#allMatch}. */
    record AllMatch(Predicate<Object> predicate) implements Terminal {}

    /** {@link Stream#findAny}. */
    record FindAny() implements Terminal {}

    /** {@link Stream#forEach}. */
    record ForEach(Consumer<Object> action) implements Terminal {}

    /** Runs an action for each element, with the cache of this name. */
    record ForEachWithCache(String cache, BiConsumer<Object, Object> action) implements Terminal {}

    /**
     * {@link IntStream#summaryStatistics} and its counterparts, from which sums and averages are
     * computed.
     */
    record Summary() implements Terminal {}

    /** The first elements in an order. */
    record First(int count, Comparator<Object> order) implements Terminal {}
  }

  /**
   * The part of a stream that owners run, as the bytes that are sent. A function is encoded by the
   * call that passes it, so that a refusal points at its cause.
   *
   * <p><b>Threading:</b> immutable; the array must not be changed.
   *
   * @param part the part of an entry that is the first element
   * @param stageCount how many stages there are
   * @param elementKind the kind of an element after them
   * @param elementsChanged whether they make new elements
   * @param stageBytes the encoded stages
   */
  @SuppressWarnings("ArrayRecordComponent") // Recordings are not compared.
  record RecordedStages(
      Part part,
      int stageCount,
      ElementKind elementKind,
      boolean elementsChanged,
      byte[] stageBytes) {

    /** A recording without a stage. */
    static RecordedStages of(Part part) {
      return new RecordedStages(part, 0, ElementKind.OBJECT, false, new byte[0]);
    }

    /** Whether there are stages, so that elements are not simply what is stored. */
    boolean hasStages() {
      return stageCount > 0;
    }

    /** Whether no two elements are equal, as keys and entries are until they are mapped. */
    boolean isDistinct() {
      return part != Part.VALUE && !elementsChanged;
    }

    /**
     * Adds a stage.
     *
     * @throws IllegalArgumentException if its function cannot be sent
     */
    RecordedStages withStage(PipelineStage stage, String method, Codec codec) {
      if (stageCount == PipelineTask.MAX_STAGES) {
        throw new IllegalArgumentException(
            method
                + " would make stage "
                + (stageCount + 1)
                + ", and the limit is "
                + PipelineTask.MAX_STAGES);
      }
      Output out = new Output(stageBytes.length + 256);
      out.write(stageBytes);
      out.writeEnum(stage.kind());
      Object function = stage.function();
      if (function != null) {
        writeFunction(method, function, codec, out);
      }
      return new RecordedStages(
          part,
          stageCount + 1,
          stage.kind().outputKind(),
          elementsChanged || !stage.kind().keepsElements(),
          out.toByteArray());
    }

    /** Encodes the task with a terminal operation that needs nothing. */
    byte[] encodeTask(Terminal.Kind kind) {
      return encodeTask(kind, "", out -> {});
    }

    /**
     * Encodes the task with its terminal operation.
     *
     * @param needs writes what the operation needs
     */
    byte[] encodeTask(Terminal.Kind kind, String method, Consumer<Output> needs) {
      Output out = new Output(stageBytes.length + 256);
      out.writeByte(PipelineTask.VERSION);
      out.writeEnum(part);
      out.writeVarint(stageCount);
      out.write(stageBytes);
      out.writeEnum(kind);
      needs.accept(out);
      checkSize(method, out);
      return out.toByteArray();
    }

    /**
     * Writes a function.
     *
     * @throws IllegalArgumentException if it cannot be sent
     */
    void writeFunction(String method, Object function, Codec codec, Output out) {
      try {
        codec.encodeFunction(function, out);
      } catch (IllegalArgumentException e) {
        throw refusedException(method, "the function given to it", e);
      }
      checkSize(method, out);
    }

    /**
     * Writes a value.
     *
     * @throws IllegalArgumentException if it cannot be sent
     */
    void writeValue(String method, @Nullable Object value, ElementCodec elementCodec, Output out) {
      try {
        elementCodec.write(value, out);
      } catch (IllegalArgumentException e) {
        throw refusedException(method, "the identity given to it", e);
      }
    }

    private void checkSize(String method, Output out) {
      if (out.position() > PipelineTask.MAX_BYTES) {
        throw new IllegalArgumentException(
            method
                + " after "
                + stageCount
                + " stages makes the stream's description "
                + out.position()
                + " bytes long, and the limit is "
                + PipelineTask.MAX_BYTES
                + ": put what its functions capture into a cache");
      }
    }

    private IllegalArgumentException refusedException(
        String method, String subject, IllegalArgumentException cause) {
      return new IllegalArgumentException(
          method
              + " after "
              + stageCount
              + " stages of a stream cannot be sent to the owners: "
              + subject
              + " is refused: "
              + cause.getMessage()
              + ". To run it on this node, pass the function as its java.util.function type",
          cause);
    }
  }
}
