package io.cantle.core.stream;

import io.cantle.core.publish.ScanOptions;
import io.cantle.core.stream.Pipeline.Here;
import io.cantle.core.stream.Task.Terminal;
import io.cantle.store.Scratch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline as it runs at this node: the stream of the JDK that it becomes here, and what that has
 * opened and must close, which is iterators over the cluster and files.
 *
 * <p><b>Threading:</b> one thread; any, if it remembers weakly.
 */
final class Opened implements AutoCloseable {
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
    return new Opened(Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())));
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
