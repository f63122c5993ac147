package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.CaptureSnapshot;
import io.cantle.core.codec.Codec;
import io.cantle.core.stream.TerminalInterpreter.ElementReduction;
import io.cantle.core.wire.PullRequest.EntryPart;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
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
 * part      byte, position in {@link EntryPart}
 * stages    varint, how many; then for each:
 *           byte, position in {@link PipelineStage.StageKind}; its function if it takes one
 * terminal  byte, position in {@link Terminal}; then what that kind needs
 * </pre>
 *
 * <p><b>Threading:</b> one thread, where the user's functions run.
 *
 * @param part the part of an entry that is the first element
 * @param stages what happens to an element, in order
 * @param elementKind the kind of an element after the stages
 * @param terminal what becomes of the elements
 * @param reduction what an owner does with them, boxed
 * @param captures what its functions have captured, which none of them may change
 */
record PipelineTask(
    EntryPart part,
    List<PipelineStage> stages,
    ElementKind elementKind,
    Terminal terminal,
    ElementReduction reduction,
    CaptureSnapshot captures) {
  static final int VERSION = 3;
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
  static PipelineTask read(byte[] bytes, Codec codec, TerminalInterpreter terminals) {
    if (bytes.length > MAX_BYTES) {
      throw new MalformedException(
          "a task has at most " + MAX_BYTES + " bytes and not " + bytes.length);
    }
    Input in = new Input(bytes);
    int version = in.readByte();
    if (version != VERSION) {
      throw new MalformedException("a task has version " + VERSION + " and not " + version);
    }
    EntryPart part = in.readEnum(EntryPart.values());
    CaptureSnapshot captures = new CaptureSnapshot();
    List<PipelineStage> stages =
        in.readList(MAX_STAGES, stage -> readStage(stage, codec, captures));
    ElementKind elementKind = PipelineStage.outputKindOf(stages);
    Terminal terminal = in.readEnum(Terminal.values());
    try {
      ElementReduction reduction = terminals.read(terminal, elementKind, in, captures);
      in.requireEndOf("a task");
      return new PipelineTask(
          part, List.copyOf(stages), elementKind, terminal, reduction, captures);
    } catch (ClassCastException e) {
      throw new MalformedException("a function in a task has the wrong type: " + e.getMessage());
    }
  }

  private static PipelineStage readStage(Input in, Codec codec, CaptureSnapshot captures) {
    PipelineStage.StageKind kind = in.readEnum(PipelineStage.StageKind.values());
    return new PipelineStage(
        kind, kind.takesFunction() ? codec.decodeFunction(in, captures) : null);
  }

  /** Whether the stages make new elements, and the result may hold all of them. */
  boolean retainsMadeElements() {
    return stages.stream().anyMatch(stage -> !stage.kind().keepsElements())
        && switch (terminal) {
          case COLLECT, COLLECT_INTO, FOLD, FIRST -> true;
          // The result is one number; an object may grow with each element.
          case REDUCE -> elementKind == ElementKind.OBJECT;
          case MIN, MAX, FIND_ANY, COUNT, ANY_MATCH, ALL_MATCH, SUMMARY -> false;
          case FOR_EACH, FOR_EACH_WITH_CACHE, ELEMENTS, DISTINCT -> false;
        };
  }

  /**
   * Whether it reads values: the stages and the terminal operation get what the source delivers.
   */
  boolean needsValues() {
    return part != EntryPart.KEY;
  }

  /** The terminal operations, as far as owners have a part in them. */
  enum Terminal {
    /** The elements themselves are wanted. */
    ELEMENTS,
    /** {@link Stream#count}. */
    COUNT,
    /** {@link Stream#collect(Collector)}. */
    COLLECT,
    /** {@link Stream#collect(Supplier, BiConsumer, BiConsumer)}. */
    COLLECT_INTO,
    /** {@link Stream#reduce(BinaryOperator)}, and the one with an identity, which is not sent. */
    REDUCE,
    /** {@link Stream#reduce(Object, BiFunction, BinaryOperator)}. */
    FOLD,
    /** {@link Stream#min}. */
    MIN,
    /** {@link Stream#max}. */
    MAX,
    /** {@link Stream#anyMatch}; {@code noneMatch} is its negation. */
    ANY_MATCH,
    /** {@link Stream#allMatch}. */
    ALL_MATCH,
    /** {@link Stream#findAny}. */
    FIND_ANY,
    /** {@link Stream#forEach}, on the owners. */
    FOR_EACH,
    /** Runs an action for each element, with a cache. */
    FOR_EACH_WITH_CACHE,
    /**
     * {@link IntStream#summaryStatistics} and its counterparts, from which sums and averages are
     * computed.
     */
    SUMMARY,
    /** The first elements in an order. */
    FIRST,
    /** The elements; one of several equal elements of a segment is enough for each answer. */
    DISTINCT
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
      EntryPart part,
      int stageCount,
      ElementKind elementKind,
      boolean elementsChanged,
      byte[] stageBytes) {

    /** A recording without a stage. */
    static RecordedStages of(EntryPart part) {
      return new RecordedStages(part, 0, ElementKind.OBJECT, false, new byte[0]);
    }

    /** Whether there are stages, so that elements are not simply what is stored. */
    boolean hasStages() {
      return stageCount > 0;
    }

    /** Whether no two elements are equal, as keys and entries are until they are mapped. */
    boolean isDistinct() {
      return part != EntryPart.VALUE && !elementsChanged;
    }

    /**
     * Adds a stage.
     *
     * @throws IllegalArgumentException if its function cannot be sent
     */
    RecordedStages withStage(PipelineStage stage, String method, Codec codec) {
      if (stageCount == PipelineTask.MAX_STAGES) {
        throw new IllegalArgumentException(
            "%s would make stage %s, and the limit is %s"
                .formatted(method, stageCount + 1, PipelineTask.MAX_STAGES));
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
    byte[] encodeTask(Terminal terminal) {
      return encodeTask(terminal, "", out -> {});
    }

    /**
     * Encodes the task with its terminal operation.
     *
     * @param needs writes what the operation needs
     */
    byte[] encodeTask(Terminal terminal, String method, Consumer<Output> needs) {
      Output out = new Output(stageBytes.length + 256);
      out.writeByte(PipelineTask.VERSION);
      out.writeEnum(part);
      out.writeVarint(stageCount);
      out.write(stageBytes);
      out.writeEnum(terminal);
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
            ("%s makes the stream's description %s bytes long, and the limit is %s:"
                    + " put what its functions capture into a cache")
                .formatted(describe(method), out.position(), PipelineTask.MAX_BYTES));
      }
    }

    private IllegalArgumentException refusedException(
        String method, String subject, IllegalArgumentException cause) {
      return new IllegalArgumentException(
          "%s of a stream cannot be sent to the owners: %s is refused: %s. %s"
              .formatted(describe(method), subject, cause.getMessage(), remedyFor(method)),
          cause);
    }

    /** Names an operation, and how far into the stream it is. */
    private String describe(String method) {
      return switch (stageCount) {
        case 0 -> method;
        case 1 -> method + " after 1 stage";
        default -> method + " after " + stageCount + " stages";
      };
    }

    private static String remedyFor(String method) {
      return switch (method) {
        case "forEachOnOwners", "forEachWithCache" ->
            "It runs on other nodes: to run it on this node, use forEach";
        case "collect" ->
            "To run it on this node, pass a collector of java.util.stream.Collectors, or functions"
                + " of java.util.function";
        default -> "To run it on this node, pass the function as its java.util.function type";
      };
    }
  }
}
