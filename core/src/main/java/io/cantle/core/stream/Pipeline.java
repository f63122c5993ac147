package io.cantle.core.stream;

import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.core.base.Output;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.stream.Task.Recording;
import io.cantle.core.stream.Task.Terminal;
import io.cantle.function.SerializableComparator;
import io.cantle.store.Scratch;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.WeakHashMap;
import java.util.function.Supplier;
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
   * A pipeline as it runs at this node: the stream of the JDK that it becomes here, and what that
   * has opened and must close, which is iterators over the cluster and files.
   *
   * <p><b>Threading:</b> one thread; any, if it remembers weakly.
   */
  static final class Opened implements AutoCloseable {
    private final Collection<AutoCloseable> opened;

    /** Remembers what is opened. */
    Opened() {
      this(new ArrayList<>());
    }

    private Opened(Collection<AutoCloseable> opened) {
      this.opened = opened;
    }

    /** Remembers what is opened as long as it is used. */
    static Opened weakly() {
      return new Opened(
          Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())));
    }

    /** Remembers what is to be closed, if it can be. */
    <C> C add(C one) {
      if (one instanceof AutoCloseable closeable) {
        opened.add(closeable);
      }
      return one;
    }

    // ------------------------------------------------------------------ opening

    /**
     * The elements of a pipeline as a stream of the JDK, with the stages that follow at this node;
     * nothing is pulled before that stream ends.
     */
    BaseStream<?, ?> open(Pipeline pipeline) {
      List<Here> here = pipeline.here();
      Start start = start(pipeline);
      BaseStream<?, ?> stream = start.stream;
      for (Here stage : here.subList(start.stages, here.size())) {
        Shape shape = Shape.of(stream);
        stream =
            switch (stage) {
              case Here.Jdk jdk -> jdk.stage().apply(stream);
              case Here.Sorted sorted -> sorted(stream, sorted, pipeline.origin().elementForm());
              case Here.Limit limit -> shape.limit(stream, limit.count());
              case Here.Skip skip -> shape.skip(stream, skip.count());
              case Here.Distinct ignored -> shape.distinct(stream);
            };
      }
      return stream;
    }

    /** A stream that begins, and how many of the stages here it stands for. */
    private record Start(BaseStream<?, ?> stream, int stages) {}

    private Start start(Pipeline pipeline) {
      ScanOptions options = pipeline.options();
      return switch (pipeline.here().isEmpty() ? null : pipeline.here().getFirst()) {
        case Here.Sorted sorted
            when sorted.sent() != null && pipeline.firstNeeded() <= Task.FIRST_MAX ->
            new Start(first(pipeline, (int) pipeline.firstNeeded(), sorted), 1);
        case Here.Distinct _ when pipeline.distinct() ->
            new Start(pulled(pipeline, options, Terminal.Kind.ELEMENTS), 1);
        // Equal elements of several answers are left: the stage here is run as well.
        case Here.Distinct _ when pipeline.recording().hasStages() ->
            new Start(pulled(pipeline, options, Terminal.Kind.DISTINCT), 0);
        case Here.Limit limit -> {
          int batch = Math.clamp(limit.count(), 1, options.batch());
          yield new Start(pulled(pipeline, options.batch(batch), Terminal.Kind.ELEMENTS), 0);
        }
        case null, default -> new Start(pulled(pipeline, options, Terminal.Kind.ELEMENTS), 0);
      };
    }

    private BaseStream<?, ?> pulled(Pipeline pipeline, ScanOptions options, Terminal.Kind end) {
      return lazily(
          pipeline,
          () -> add(pipeline.pull(options, end)),
          pipeline.distinct() ? Spliterator.DISTINCT : 0);
    }

    private BaseStream<?, ?> first(Pipeline pipeline, int count, Here.Sorted sorted) {
      Ends ends = new Ends(pipeline);
      return lazily(
          pipeline,
          () -> {
            List<Object> first = count == 0 ? List.of() : ends.first(count, sorted);
            if (first != null) {
              return first.iterator();
            }
            Sorting sorting = sorting(sorted, pipeline.origin().elementForm());
            add(pipeline.pull(pipeline.options(), Terminal.Kind.ELEMENTS))
                .forEachRemaining(sorting::add);
            return sorting.inOrder();
          },
          Spliterator.ORDERED);
    }

    /** A stream of what owners send that asks for it when it ends. */
    private static BaseStream<?, ?> lazily(
        Pipeline pipeline, Supplier<Iterator<Object>> elements, int characteristics) {
      return pipeline
          .recording()
          .shape()
          .unboxed(
              StreamSupport.stream(
                  () -> Spliterators.spliteratorUnknownSize(elements.get(), characteristics),
                  characteristics,
                  false));
    }

    private BaseStream<?, ?> sorted(BaseStream<?, ?> stream, Here.Sorted sorted, ElementForm form) {
      Shape shape = Shape.of(stream);
      Stream<Object> elements = shape.boxed(stream);
      return shape.unboxed(
          StreamSupport.stream(
              () -> {
                Sorting sorting = sorting(sorted, form);
                elements.sequential().forEachOrdered(sorting::add);
                return Spliterators.spliteratorUnknownSize(sorting.inOrder(), Spliterator.ORDERED);
              },
              Spliterator.ORDERED,
              false));
    }

    private Sorting sorting(Here.Sorted sorted, ElementForm form) {
      return add(new Sorting(sorted.order(), form, Sorting.BUDGET_BYTES, Scratch::temporary));
    }

    // ------------------------------------------------------------------ closing

    /** Closes all, the last first, even if some fail. */
    @Override
    public void close() {
      List<AutoCloseable> all = new ArrayList<>(opened);
      opened.clear();
      RuntimeException failure = null;
      for (AutoCloseable one : all.reversed()) {
        failure = close(one, failure);
      }
      if (failure != null) {
        throw failure;
      }
    }

    private static @Nullable RuntimeException close(
        AutoCloseable one, @Nullable RuntimeException before) {
      RuntimeException failure;
      try {
        one.close();
        return before;
      } catch (RuntimeException e) {
        failure = e;
      } catch (Exception e) {
        failure = new IllegalStateException("what a stream had opened cannot be closed", e);
      }
      if (before == null) {
        return failure;
      }
      before.addSuppressed(failure);
      return before;
    }
  }
}
