package io.cantle.core.stream;

import io.cantle.CloseableIterator;
import io.cantle.core.base.Output;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans.Part;
import io.cantle.function.SerializableComparator;
import io.cantle.store.Scratch;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
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
    Origin origin,
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
  static Pipeline of(Origin origin, Part part) {
    return new Pipeline(
        origin, ScanOptions.ALL, Recording.of(part), List.of(), Shape.OBJECT, List.of());
  }

  /** Whether owners run all of it. */
  boolean recorded() {
    return here.isEmpty();
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

  // ------------------------------------------------------------------ at this node

  /** The elements as a stream of the JDK; nothing is pulled before that stream ends. */
  BaseStream<?, ?> open(Opened opened) {
    Start start = start(opened);
    BaseStream<?, ?> stream = start.stream;
    for (Here stage : here.subList(start.stages, here.size())) {
      stream =
          switch (stage) {
            case Here.Jdk jdk -> jdk.stage().apply(stream);
            case Here.Sorted sorted -> sorted(stream, sorted.order(), opened);
            case Here.Limit limit -> Shape.of(stream).limit(stream, limit.count());
            case Here.Skip skip -> Shape.of(stream).skip(stream, skip.count());
            case Here.Distinct ignored -> Shape.of(stream).distinct(stream);
          };
    }
    return stream;
  }

  /** A stream that begins, and how many of the stages here it stands for. */
  private record Start(BaseStream<?, ?> stream, int stages) {}

  private Start start(Opened opened) {
    int stages = here.size();
    if (stages > 0 && here.getFirst() instanceof Here.Sorted sorted && sorted.sent() != null) {
      long needed = firstNeeded();
      if (needed <= Task.FIRST_MAX) {
        return new Start(first((int) needed, sorted), 1);
      }
    }
    if (stages > 0 && here.getFirst() instanceof Here.Distinct && recording.distinct()) {
      return new Start(pulled(options, opened), 1);
    }
    ScanOptions needed =
        stages > 0 && here.getFirst() instanceof Here.Limit limit
            ? options.batch(Math.clamp(limit.count(), 1, options.batch()))
            : options;
    return new Start(pulled(needed, opened), 0);
  }

  /** How many of what was sorted first are needed at most by what follows. */
  private long firstNeeded() {
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

  private BaseStream<?, ?> pulled(ScanOptions needed, Opened opened) {
    return lazily(() -> opened.add(pull(needed)), recording.distinct() ? Spliterator.DISTINCT : 0);
  }

  /** Pulls the elements that owners make. */
  CloseableIterator<Object> pull(ScanOptions needed) {
    Part part = recording.part();
    ElementForm form = origin.elementForm();
    return recording.hasStages()
        ? origin
            .scans()
            .iterate(part, recording.end(Terminal.Kind.ELEMENTS), needed, origin::element)
        : origin.scans().iterate(part, null, needed, in -> form.readStored(part, in));
  }

  private BaseStream<?, ?> first(int count, Here.Sorted sorted) {
    Ends ends = new Ends(this);
    return lazily(
        () -> (count == 0 ? List.of() : ends.first(count, sorted)).iterator(), Spliterator.ORDERED);
  }

  private BaseStream<?, ?> sorted(
      BaseStream<?, ?> stream, Comparator<Object> order, Opened opened) {
    Shape boxed = Shape.of(stream);
    Stream<Object> elements = boxed.boxed(stream);
    return boxed.unboxed(
        StreamSupport.stream(
            () -> {
              Sorting sorting =
                  opened.add(
                      new Sorting(
                          order, origin.elementForm(), Sorting.BUDGET_BYTES, Scratch::temporary));
              elements.sequential().forEachOrdered(sorting::add);
              return Spliterators.spliteratorUnknownSize(sorting.inOrder(), Spliterator.ORDERED);
            },
            Spliterator.ORDERED,
            false));
  }

  /** A stream that asks for its elements when it ends. */
  private BaseStream<?, ?> lazily(Source source, int characteristics) {
    return recording
        .shape()
        .unboxed(
            StreamSupport.stream(
                () -> Spliterators.spliteratorUnknownSize(source.open(), characteristics),
                characteristics,
                false));
  }

  private interface Source {
    Iterator<Object> open();
  }
}
