package io.cantle.core.stream;

import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.stream.Task.Terminal;
import io.cantle.function.SerializableComparator;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/**
 * What a stream is so far: which entries, how they are gone about, the stages that owners run, and
 * those that follow here.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param origin what it needs of its node
 * @param options which entries, and how
 * @param recording the part that owners run
 * @param here stages after that, in order
 * @param shape what its elements are
 * @param closing what {@code close} runs
 */
record Pipeline(
    Streams<?, ?> origin,
    ScanOptions options,
    Recording recording,
    List<Here> here,
    Shape shape,
    List<Runnable> closing) {

  /** A stage that this node runs. */
  sealed interface Here {
    /**
     * Any: it is what the JDK makes of it.
     *
     * @param keepsCount whether one element comes out for each that went in, in the same order
     */
    record Jdk(UnaryOperator<BaseStream<?, ?>> stage, boolean keepsCount) implements Here {}

    /**
     * Brings elements into order.
     *
     * @param sent the order as owners are told it, or null if it cannot be sent
     */
    record Sorted(Comparator<Object> order, byte @Nullable [] sent) implements Here {}

    /** Lets so many pass. */
    record Limit(long count) implements Here {}

    /** Lets so many not pass. */
    record Skip(long count) implements Here {}

    /** Lets none pass twice. */
    record Distinct() implements Here {}

    static Here limited(long count) {
      return new Limit(checked(count));
    }

    static Here skipping(long count) {
      return new Skip(checked(count));
    }

    private static long checked(long count) {
      if (count < 0) {
        throw new IllegalArgumentException(Long.toString(count));
      }
      return count;
    }
  }

  /** Copies the lists. */
  Pipeline {
    here = List.copyOf(here);
    closing = List.copyOf(closing);
  }

  /** All entries of a cache. */
  static Pipeline of(Streams<?, ?> origin, Part part) {
    return new Pipeline(
        origin, ScanOptions.ALL, Recording.of(part), List.of(), Shape.OBJECT, List.of());
  }

  /** Whether owners run all of it. */
  boolean recorded() {
    return here.isEmpty();
  }

  /** Whether no two elements come that are equal: none is made so, and none comes again. */
  boolean distinct() {
    return recording.distinct() && options.delivery() != Delivery.AT_LEAST_ONCE;
  }

  /** With another way to go about it. */
  Pipeline with(ScanOptions other) {
    return new Pipeline(origin, other, recording, here, shape, closing);
  }

  /** With one more thing to do at {@code close}. */
  Pipeline onClose(Runnable handler) {
    List<Runnable> more = new ArrayList<>(closing);
    more.add(handler);
    return new Pipeline(origin, options, recording, here, shape, more);
  }

  /**
   * With one more stage, on the owners if all before it is there too.
   *
   * @param function what it was given, or null for a kind that takes none
   * @throws IllegalArgumentException when the function cannot be sent
   */
  Pipeline stage(Stage.Kind kind, String method, @Nullable Object function) {
    if (!recorded()) {
      return here(kind, function);
    }
    Recording more = recording.stage(new Stage(kind, function), method, origin.codec());
    return new Pipeline(origin, options, more, here, kind.to(), closing);
  }

  /**
   * With one more stage that runs here, whatever is before it.
   *
   * @param function what it was given, or null for a kind that takes none
   */
  Pipeline here(Stage.Kind kind, @Nullable Object function) {
    return here(kind.to(), new Here.Jdk(new Stage(kind, function)::onto, kind.keepsCount()));
  }

  /**
   * Sorted, with a comparator that owners are sent if they run all before.
   *
   * @throws IllegalArgumentException when it cannot be sent
   */
  Pipeline sorted(SerializableComparator<?> comparator) {
    return sorted(comparator, recorded() ? sent(comparator) : null);
  }

  /** Sorted, with a comparator that owners are sent if it happens to be one that can be. */
  Pipeline sorted(Comparator<?> comparator) {
    if (comparator.equals(Comparator.naturalOrder())) {
      return sorted();
    }
    if (comparator.equals(Comparator.reverseOrder())) {
      return sorted(comparator, new byte[] {Task.REVERSE_ORDER});
    }
    byte[] sent = null;
    if (recorded() && comparator instanceof Serializable) {
      try {
        sent = sent(comparator);
      } catch (IllegalArgumentException e) {
        // Nobody said that it can be sent: all elements come here then.
        sent = null;
      }
    }
    return sorted(comparator, sent);
  }

  /** Sorted in natural order. */
  Pipeline sorted() {
    return sorted(Sorting.NATURAL, new byte[] {Task.NATURAL_ORDER});
  }

  @SuppressWarnings("unchecked")
  private Pipeline sorted(Comparator<?> comparator, byte @Nullable [] sent) {
    return here(shape, new Here.Sorted((Comparator<Object>) comparator, sent));
  }

  private byte[] sent(Comparator<?> comparator) {
    Objects.requireNonNull(comparator);
    Output out = new Output(256);
    out.writeByte(Task.ORDER_BY_FUNCTION);
    recording.function("sorted", comparator, origin.codec(), out);
    return out.toByteArray();
  }

  /** With one more stage that runs here. */
  Pipeline here(Shape to, UnaryOperator<BaseStream<?, ?>> stage) {
    return here(to, new Here.Jdk(stage, false));
  }

  /** With one more stage that runs here. */
  Pipeline here(Shape to, Here stage) {
    List<Here> more = new ArrayList<>(here);
    more.add(stage);
    return new Pipeline(origin, options, recording, more, to, closing);
  }

  /** How many of what was sorted first are needed at most by what follows. */
  long firstNeeded() {
    long skipped = 0;
    for (Here stage : here.subList(1, here.size())) {
      switch (stage) {
        case Here.Jdk jdk when jdk.keepsCount() -> {}
        case Here.Skip skip -> skipped += Math.min(skip.count(), Long.MAX_VALUE - skipped);
        case Here.Limit limit -> {
          return skipped + Math.min(limit.count(), Long.MAX_VALUE - skipped);
        }
        default -> {
          return Long.MAX_VALUE;
        }
      }
    }
    return Long.MAX_VALUE;
  }

  /**
   * Pulls the elements that owners make.
   *
   * @param end what owners do with them: send all, or leave out what they know to come twice
   */
  CloseableIterator<Object> pull(ScanOptions needed, Terminal.Kind end) {
    Part part = recording.part();
    ElementForm form = origin.elementForm();
    return recording.hasStages()
        ? origin.scans().iterate(part, recording.end(end), needed, origin::element)
        : origin.scans().iterate(part, null, needed, in -> form.readStored(part, in));
  }

  /**
   * The part of a stream that owners run, as the bytes that will be sent; the format is that of
   * {@link Task}. Functions are encoded by the call that brings them, so that a refusal points at
   * its cause.
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
