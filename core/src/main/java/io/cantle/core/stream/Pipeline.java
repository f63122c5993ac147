package io.cantle.core.stream;

import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.core.base.Output;
import io.cantle.core.publish.CacheScanner.Part;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.stream.PipelineTask.RecordedStages;
import io.cantle.core.stream.PipelineTask.Terminal;
import io.cantle.function.SerializableComparator;
import io.cantle.store.ScratchFile;
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
 * @param recordedStages the part that owners run
 * @param localStages stages after that, in order
 * @param elementKind what its elements are
 * @param closeHandlers what {@code close} runs
 */
record Pipeline(
    CacheStreams<?, ?> origin,
    ScanOptions options,
    RecordedStages recordedStages,
    List<LocalStage> localStages,
    ElementKind elementKind,
    List<Runnable> closeHandlers) {

  /** A stage that this node runs. */
  sealed interface LocalStage {
    /**
     * Any: it is what the JDK makes of it.
     *
     * @param keepsCount whether one element comes out for each that went in, in the same order
     */
    record JdkStage(UnaryOperator<BaseStream<?, ?>> stage, boolean keepsCount)
        implements LocalStage {}

    /**
     * Brings elements into order.
     *
     * @param encodedOrder the order as owners are told it, or null if it cannot be sent
     */
    record Sorted(Comparator<Object> order, byte @Nullable [] encodedOrder) implements LocalStage {}

    /** Lets so many pass. */
    record Limit(long count) implements LocalStage {}

    /** Lets so many not pass. */
    record Skip(long count) implements LocalStage {}

    /** Lets none pass twice. */
    record Distinct() implements LocalStage {}

    static LocalStage limit(long count) {
      return new Limit(checkCount(count));
    }

    static LocalStage skip(long count) {
      return new Skip(checkCount(count));
    }

    private static long checkCount(long count) {
      if (count < 0) {
        throw new IllegalArgumentException(Long.toString(count));
      }
      return count;
    }
  }

  /** Copies the lists. */
  Pipeline {
    localStages = List.copyOf(localStages);
    closeHandlers = List.copyOf(closeHandlers);
  }

  /** All entries of a cache. */
  static Pipeline of(CacheStreams<?, ?> origin, Part part) {
    return new Pipeline(
        origin, ScanOptions.ALL, RecordedStages.of(part), List.of(), ElementKind.OBJECT, List.of());
  }

  /** Whether owners run all of it. */
  boolean isRecorded() {
    return localStages.isEmpty();
  }

  /** Whether no two elements come that are equal: none is made so, and none comes again. */
  boolean isDistinct() {
    return recordedStages.isDistinct() && options.delivery() != Delivery.AT_LEAST_ONCE;
  }

  /** With another way to go about it. */
  Pipeline withOptions(ScanOptions other) {
    return new Pipeline(origin, other, recordedStages, localStages, elementKind, closeHandlers);
  }

  /** With one more thing to do at {@code close}. */
  Pipeline withCloseHandler(Runnable handler) {
    List<Runnable> extended = new ArrayList<>(closeHandlers);
    extended.add(handler);
    return new Pipeline(origin, options, recordedStages, localStages, elementKind, extended);
  }

  /**
   * With one more stage, on the owners if all before it is there too.
   *
   * @param function what it was given, or null for a kind that takes none
   * @throws IllegalArgumentException when the function cannot be sent
   */
  Pipeline withStage(PipelineStage.Kind kind, String method, @Nullable Object function) {
    if (!isRecorded()) {
      return withLocalStage(kind, function);
    }
    RecordedStages extended =
        recordedStages.withStage(new PipelineStage(kind, function), method, origin.codec());
    return new Pipeline(origin, options, extended, localStages, kind.outputKind(), closeHandlers);
  }

  /**
   * With one more stage that runs here, whatever is before it.
   *
   * @param function what it was given, or null for a kind that takes none
   */
  Pipeline withLocalStage(PipelineStage.Kind kind, @Nullable Object function) {
    return withLocalStage(
        kind.outputKind(),
        new LocalStage.JdkStage(new PipelineStage(kind, function)::appendTo, kind.keepsCount()));
  }

  /**
   * Sorted, with a comparator that owners are sent if they run all before.
   *
   * @throws IllegalArgumentException when it cannot be sent
   */
  Pipeline sorted(SerializableComparator<?> comparator) {
    return sorted(comparator, isRecorded() ? encodeComparator(comparator) : null);
  }

  /** Sorted, with a comparator that owners are sent if it happens to be one that can be. */
  Pipeline sorted(Comparator<?> comparator) {
    if (comparator.equals(Comparator.naturalOrder())) {
      return sorted();
    }
    if (comparator.equals(Comparator.reverseOrder())) {
      return sorted(comparator, new byte[] {PipelineTask.REVERSE_ORDER});
    }
    byte[] sent = null;
    if (isRecorded() && comparator instanceof Serializable) {
      try {
        sent = encodeComparator(comparator);
      } catch (IllegalArgumentException e) {
        // Nobody said that it can be sent: all elements come here then.
        sent = null;
      }
    }
    return sorted(comparator, sent);
  }

  /** Sorted in natural order. */
  Pipeline sorted() {
    return sorted(ExternalSort.NATURAL_ORDER, new byte[] {PipelineTask.NATURAL_ORDER});
  }

  @SuppressWarnings("unchecked")
  private Pipeline sorted(Comparator<?> comparator, byte @Nullable [] sent) {
    return withLocalStage(
        elementKind, new LocalStage.Sorted((Comparator<Object>) comparator, sent));
  }

  private byte[] encodeComparator(Comparator<?> comparator) {
    Objects.requireNonNull(comparator);
    Output out = new Output(256);
    out.writeByte(PipelineTask.ORDER_BY_FUNCTION);
    recordedStages.writeFunction("sorted", comparator, origin.codec(), out);
    return out.toByteArray();
  }

  /** With one more stage that runs here. */
  Pipeline withLocalStage(ElementKind to, UnaryOperator<BaseStream<?, ?>> stage) {
    return withLocalStage(to, new LocalStage.JdkStage(stage, false));
  }

  /** With one more stage that runs here. */
  Pipeline withLocalStage(ElementKind to, LocalStage stage) {
    List<LocalStage> extended = new ArrayList<>(localStages);
    extended.add(stage);
    return new Pipeline(origin, options, recordedStages, extended, to, closeHandlers);
  }

  /** How many of what was sorted first are needed at most by what follows. */
  long neededCount() {
    long skipped = 0;
    for (LocalStage stage : localStages.subList(1, localStages.size())) {
      switch (stage) {
        case LocalStage.JdkStage jdk when jdk.keepsCount() -> {}
        case LocalStage.Skip skip -> skipped += Math.min(skip.count(), Long.MAX_VALUE - skipped);
        case LocalStage.Limit limit -> {
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
  CloseableIterator<Object> pullElements(ScanOptions needed, Terminal.Kind end) {
    Part part = recordedStages.part();
    ElementCodec elementCodec = origin.elementForm();
    return recordedStages.hasStages()
        ? origin.scans().iterate(part, recordedStages.encodeTask(end), needed, origin::readElement)
        : origin.scans().iterate(part, null, needed, in -> elementCodec.readStored(part, in));
  }

  /**
   * A pipeline as it runs at this node: the stream of the JDK that it becomes here, and what that
   * has opened and must close, which is iterators over the cluster and files.
   *
   * <p><b>Threading:</b> one thread; any, if it remembers weakly.
   */
  static final class LocalExecution implements AutoCloseable {
    private final Collection<AutoCloseable> resources;

    /** Remembers what is opened. */
    LocalExecution() {
      this(new ArrayList<>());
    }

    private LocalExecution(Collection<AutoCloseable> resources) {
      this.resources = resources;
    }

    /** Remembers what is opened as long as it is used. */
    static LocalExecution withWeakReferences() {
      return new LocalExecution(
          Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())));
    }

    /** Remembers what is to be closed, if it can be. */
    <C> C closeLater(C resource) {
      if (resource instanceof AutoCloseable closeable) {
        resources.add(closeable);
      }
      return resource;
    }

    // ------------------------------------------------------------------ opening

    /**
     * The elements of a pipeline as a stream of the JDK, with the stages that follow at this node;
     * nothing is pulled before that stream ends.
     */
    BaseStream<?, ?> open(Pipeline pipeline) {
      List<LocalStage> here = pipeline.localStages();
      StartedStream start = startStream(pipeline);
      BaseStream<?, ?> stream = start.stream;
      for (LocalStage stage : here.subList(start.consumedStages, here.size())) {
        ElementKind elementKind = ElementKind.of(stream);
        stream =
            switch (stage) {
              case LocalStage.JdkStage jdk -> jdk.stage().apply(stream);
              case LocalStage.Sorted sorted ->
                  sortedStream(stream, sorted, pipeline.origin().elementForm());
              case LocalStage.Limit limit -> elementKind.limit(stream, limit.count());
              case LocalStage.Skip skip -> elementKind.skip(stream, skip.count());
              case LocalStage.Distinct ignored -> elementKind.distinct(stream);
            };
      }
      return stream;
    }

    /** A stream that begins, and how many of the stages here it stands for. */
    private record StartedStream(BaseStream<?, ?> stream, int consumedStages) {}

    private StartedStream startStream(Pipeline pipeline) {
      ScanOptions options = pipeline.options();
      return switch (pipeline.localStages().isEmpty() ? null : pipeline.localStages().getFirst()) {
        case LocalStage.Sorted sorted
            when sorted.encodedOrder() != null
                && pipeline.neededCount() <= PipelineTask.MAX_FIRST_ELEMENTS ->
            new StartedStream(firstSortedStream(pipeline, (int) pipeline.neededCount(), sorted), 1);
        case LocalStage.Distinct _ when pipeline.isDistinct() ->
            new StartedStream(pulledStream(pipeline, options, Terminal.Kind.ELEMENTS), 1);
        // Equal elements of several answers are left: the stage here is run as well.
        case LocalStage.Distinct _ when pipeline.recordedStages().hasStages() ->
            new StartedStream(pulledStream(pipeline, options, Terminal.Kind.DISTINCT), 0);
        case LocalStage.Limit limit -> {
          int batch = Math.clamp(limit.count(), 1, options.batch());
          yield new StartedStream(
              pulledStream(pipeline, options.batch(batch), Terminal.Kind.ELEMENTS), 0);
        }
        case null, default ->
            new StartedStream(pulledStream(pipeline, options, Terminal.Kind.ELEMENTS), 0);
      };
    }

    private BaseStream<?, ?> pulledStream(
        Pipeline pipeline, ScanOptions options, Terminal.Kind end) {
      return lazyStream(
          pipeline,
          () -> closeLater(pipeline.pullElements(options, end)),
          pipeline.isDistinct() ? Spliterator.DISTINCT : 0);
    }

    private BaseStream<?, ?> firstSortedStream(
        Pipeline pipeline, int count, LocalStage.Sorted sorted) {
      TerminalOperations terminals = new TerminalOperations(pipeline);
      return lazyStream(
          pipeline,
          () -> {
            List<Object> first = count == 0 ? List.of() : terminals.firstSorted(count, sorted);
            if (first != null) {
              return first.iterator();
            }
            ExternalSort sort = newSort(sorted, pipeline.origin().elementForm());
            closeLater(pipeline.pullElements(pipeline.options(), Terminal.Kind.ELEMENTS))
                .forEachRemaining(sort::add);
            return sort.sortedIterator();
          },
          Spliterator.ORDERED);
    }

    /** A stream of what owners send that asks for it when it ends. */
    private static BaseStream<?, ?> lazyStream(
        Pipeline pipeline, Supplier<Iterator<Object>> elements, int characteristics) {
      return pipeline
          .recordedStages()
          .elementKind()
          .unboxed(
              StreamSupport.stream(
                  () -> Spliterators.spliteratorUnknownSize(elements.get(), characteristics),
                  characteristics,
                  false));
    }

    private BaseStream<?, ?> sortedStream(
        BaseStream<?, ?> stream, LocalStage.Sorted sorted, ElementCodec elementCodec) {
      ElementKind elementKind = ElementKind.of(stream);
      Stream<Object> elements = elementKind.boxed(stream);
      return elementKind.unboxed(
          StreamSupport.stream(
              () -> {
                ExternalSort sort = newSort(sorted, elementCodec);
                elements.sequential().forEachOrdered(sort::add);
                return Spliterators.spliteratorUnknownSize(
                    sort.sortedIterator(), Spliterator.ORDERED);
              },
              Spliterator.ORDERED,
              false));
    }

    private ExternalSort newSort(LocalStage.Sorted sorted, ElementCodec elementCodec) {
      return closeLater(
          new ExternalSort(
              sorted.order(),
              elementCodec,
              ExternalSort.BUDGET_BYTES,
              ScratchFile::createTemporary));
    }

    // ------------------------------------------------------------------ closing

    /** Closes all, the last first, even if some fail. */
    @Override
    public void close() {
      List<AutoCloseable> all = new ArrayList<>(resources);
      resources.clear();
      RuntimeException failure = null;
      for (AutoCloseable resource : all.reversed()) {
        failure = close(resource, failure);
      }
      if (failure != null) {
        throw failure;
      }
    }

    private static @Nullable RuntimeException close(
        AutoCloseable resource, @Nullable RuntimeException earlier) {
      RuntimeException failure;
      try {
        resource.close();
        return earlier;
      } catch (RuntimeException e) {
        failure = e;
      } catch (Exception e) {
        failure = new IllegalStateException("what a stream had opened cannot be closed", e);
      }
      if (earlier == null) {
        return failure;
      }
      earlier.addSuppressed(failure);
      return earlier;
    }
  }
}
