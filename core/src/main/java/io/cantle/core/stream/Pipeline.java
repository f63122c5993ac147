package io.cantle.core.stream;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.stream.PipelineTask.RecordedStages;
import io.cantle.core.stream.PipelineTask.Terminal;
import io.cantle.core.wire.PullRequest.EntryPart;
import io.cantle.function.SerializableComparator;
import io.cantle.store.ScratchFile;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A stream as recorded so far: which entries it reads and how, the stages that owners run, and the
 * stages after them that run on this node.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param origin the parts of the node that a stream uses
 * @param options which entries to read, and how
 * @param recordedStages the part that owners run
 * @param localStages the stages after that, in order
 * @param elementKind the kind of the elements after all stages
 * @param closeHandlers what {@code close} runs
 */
record Pipeline(
    CacheStreamSource<?, ?> origin,
    ScanOptions options,
    RecordedStages recordedStages,
    List<LocalStage> localStages,
    ElementKind elementKind,
    List<Runnable> closeHandlers) {

  /** A stage that runs on this node. */
  sealed interface LocalStage {
    /**
     * Any stage, run by the JDK.
     *
     * @param keepsCount whether one element comes out for each that went in, in the same order
     */
    record JdkStage(UnaryOperator<BaseStream<?, ?>> stage, boolean keepsCount)
        implements LocalStage {}

    /**
     * Sorts the elements.
     *
     * @param encodedOrder the order as it is sent to owners, or null if it cannot be sent
     */
    record Sorted(Comparator<Object> order, byte @Nullable [] encodedOrder) implements LocalStage {}

    /** Lets this many elements pass. */
    record Limit(long count) implements LocalStage {}

    /** Drops this many elements. */
    record Skip(long count) implements LocalStage {}

    /** Lets no element pass twice. */
    record Distinct() implements LocalStage {}

    static LocalStage limit(long count) {
      return new Limit(checkCount("limit", count));
    }

    static LocalStage skip(long count) {
      return new Skip(checkCount("skip", count));
    }

    private static long checkCount(String method, long count) {
      if (count < 0) {
        throw new IllegalArgumentException(
            "%s(%s): the count of elements must not be negative".formatted(method, count));
      }
      return count;
    }
  }

  /** Copies the lists. */
  Pipeline {
    localStages = List.copyOf(localStages);
    closeHandlers = List.copyOf(closeHandlers);
  }

  /** A pipeline over all entries of a cache. */
  static Pipeline of(CacheStreamSource<?, ?> origin, EntryPart part) {
    return new Pipeline(
        origin,
        origin.defaults(),
        RecordedStages.of(part),
        List.of(),
        ElementKind.OBJECT,
        List.of());
  }

  /** Whether owners run all of its stages. */
  boolean isRecorded() {
    return localStages.isEmpty();
  }

  /**
   * Whether no two elements are equal: no stage makes equal ones, and no entry is delivered twice.
   */
  boolean isDistinct() {
    return recordedStages.isDistinct() && options.delivery() != Delivery.AT_LEAST_ONCE;
  }

  /** Replaces the options. */
  Pipeline withOptions(ScanOptions other) {
    return new Pipeline(origin, other, recordedStages, localStages, elementKind, closeHandlers);
  }

  /** Adds a handler for {@code close}. */
  Pipeline withCloseHandler(Runnable handler) {
    List<Runnable> extended = new ArrayList<>(closeHandlers);
    extended.add(handler);
    return new Pipeline(origin, options, recordedStages, localStages, elementKind, extended);
  }

  /**
   * Adds a stage, which owners run if they run all stages before it.
   *
   * @param function the user's function, or null for a kind that takes none
   * @throws IllegalArgumentException if the function cannot be sent
   */
  Pipeline withStage(PipelineStage.StageKind kind, String method, @Nullable Object function) {
    if (!isRecorded()) {
      return withLocalStage(kind, function);
    }
    RecordedStages extended =
        recordedStages.withStage(new PipelineStage(kind, function), method, origin.codec());
    return new Pipeline(origin, options, extended, localStages, kind.outputKind(), closeHandlers);
  }

  /**
   * Adds a stage that runs on this node, whatever is before it.
   *
   * @param function the user's function, or null for a kind that takes none
   */
  Pipeline withLocalStage(PipelineStage.StageKind kind, @Nullable Object function) {
    return withLocalStage(
        kind.outputKind(),
        new LocalStage.JdkStage(new PipelineStage(kind, function)::appendTo, kind.keepsCount()));
  }

  /**
   * Sorts with a comparator, which is sent to the owners if they run all stages before.
   *
   * @throws IllegalArgumentException if it cannot be sent
   */
  Pipeline sorted(SerializableComparator<?> comparator) {
    return sorted(comparator, isRecorded() ? encodeComparator(comparator) : null);
  }

  /** Sorts with a comparator, which is sent to the owners if it happens to be serializable. */
  Pipeline sorted(Comparator<?> comparator) {
    if (comparator.equals(Comparator.naturalOrder())) {
      return sorted();
    }
    if (comparator.equals(Comparator.reverseOrder())) {
      return sorted(comparator, new byte[] {PipelineTask.REVERSE_ORDER});
    }
    if (isRecorded() && comparator instanceof Serializable) {
      try {
        return sorted(comparator, encodeComparator(comparator));
      } catch (IllegalArgumentException e) {
        // The user did not promise that it can be sent, so all elements come to this node.
      }
    }
    return sorted(comparator, null);
  }

  /** Sorts in natural order. */
  Pipeline sorted() {
    return sorted(ExternalSort.NATURAL_ORDER, new byte[] {PipelineTask.NATURAL_ORDER});
  }

  @SuppressWarnings("unchecked")
  private Pipeline sorted(Comparator<?> comparator, byte @Nullable [] sent) {
    return withLocalStage(
        elementKind, new LocalStage.Sorted((Comparator<Object>) comparator, sent));
  }

  private byte[] encodeComparator(Comparator<?> comparator) {
    Output out = new Output(256);
    out.writeByte(PipelineTask.ORDER_BY_FUNCTION);
    recordedStages.writeFunction("sorted", comparator, origin.codec(), out);
    return out.toByteArray();
  }

  /** Adds a stage that runs on this node. */
  Pipeline withLocalStage(ElementKind to, UnaryOperator<BaseStream<?, ?>> stage) {
    return withLocalStage(to, new LocalStage.JdkStage(stage, false));
  }

  /** Adds a stage that runs on this node. */
  Pipeline withLocalStage(ElementKind to, LocalStage stage) {
    List<LocalStage> extended = new ArrayList<>(localStages);
    extended.add(stage);
    return new Pipeline(origin, options, recordedStages, extended, to, closeHandlers);
  }

  /**
   * The most elements that the stages after a sort need.
   *
   * @param sort the place of the sort among the stages of this node
   */
  long neededCount(int sort) {
    long skipped = 0;
    for (LocalStage stage : localStages.subList(sort + 1, localStages.size())) {
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
   * @param end whether owners send all elements, or omit those they know to be duplicates
   * @param readsAll whether it is certain that all of them are read
   */
  CloseableIterator<Object> pullElements(ScanOptions needed, Terminal end, boolean readsAll) {
    PullClient.ScanSpec spec = scanSpec(needed, end, readsAll);
    EntryPart part = spec.part();
    return spec.task() != null
        ? origin.scanner().iterate(spec, elementReader())
        : origin
            .scanner()
            .iterate(
                spec, elementReader(), (key, value) -> ElementCodec.elementOf(part, key, value));
  }

  /** Publishes the elements that owners make. */
  CachePublisher<Object> publishElements() {
    return origin.scanner().publish(scanSpec(options, Terminal.ELEMENTS, false), elementReader());
  }

  /** What owners send: what is stored, or what the stages make of it. */
  private PullClient.ScanSpec scanSpec(ScanOptions needed, Terminal end, boolean readsAll) {
    byte @Nullable [] task = recordedStages.hasStages() ? recordedStages.encodeTask(end) : null;
    return new PullClient.ScanSpec(recordedStages.part(), task, needed, readsAll);
  }

  private Function<Input, Object> elementReader() {
    ElementCodec elementCodec = origin.elementCodec();
    EntryPart part = recordedStages.part();
    return recordedStages.hasStages()
        ? elementCodec::read
        : in -> elementCodec.readStored(part, in);
  }

  /**
   * A pipeline in execution on this node: the JDK stream it becomes here, with the resources that
   * stream has opened and must close, which are iterators over the cluster and files.
   *
   * <p><b>Threading:</b> one thread; any thread if it holds its resources weakly.
   */
  static final class LocalExecution implements AutoCloseable {
    private final Collection<AutoCloseable> resources;
    private final boolean readsAll;

    /**
     * Creates an execution that holds its resources strongly.
     *
     * @param readsAll whether the terminal operation reads the stream to its end
     */
    LocalExecution(boolean readsAll) {
      this(new ArrayList<>(), readsAll);
    }

    private LocalExecution(Collection<AutoCloseable> resources, boolean readsAll) {
      this.resources = resources;
      this.readsAll = readsAll;
    }

    /** Creates an execution that holds each resource only while it is in use elsewhere. */
    static LocalExecution withWeakReferences() {
      return new LocalExecution(
          Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())), false);
    }

    /** Registers a resource to be closed later. */
    <C extends AutoCloseable> C closeLater(C resource) {
      resources.add(resource);
      return resource;
    }

    // ------------------------------------------------------------------ opening

    /**
     * Opens the elements of a pipeline as a JDK stream, with the stages that run on this node.
     * Nothing is pulled before a terminal operation of that stream runs.
     */
    BaseStream<?, ?> open(Pipeline pipeline) {
      List<LocalStage> here = pipeline.localStages();
      StartedStream start = startStream(pipeline);
      BaseStream<?, ?> stream = start.stream;
      for (int i = start.consumedStages; i < here.size(); i++) {
        ElementKind elementKind = ElementKind.of(stream);
        stream =
            switch (here.get(i)) {
              case LocalStage.JdkStage jdk -> jdk.stage().apply(stream);
              case LocalStage.Sorted sorted ->
                  sortedStream(
                      stream, sorted, pipeline.origin().elementCodec(), pipeline.neededCount(i));
              case LocalStage.Limit limit -> elementKind.limit(stream, limit.count());
              case LocalStage.Skip skip -> elementKind.skip(stream, skip.count());
              case LocalStage.Distinct _ -> elementKind.distinct(stream);
            };
      }
      return stream;
    }

    /** The source stream, and how many of the local stages it already covers. */
    private record StartedStream(BaseStream<?, ?> stream, int consumedStages) {}

    private StartedStream startStream(Pipeline pipeline) {
      ScanOptions options = pipeline.options();
      return switch (pipeline.localStages().isEmpty() ? null : pipeline.localStages().getFirst()) {
        case LocalStage.Sorted sorted
            when sorted.encodedOrder() != null
                && pipeline.neededCount(0) <= PipelineTask.MAX_FIRST_ELEMENTS ->
            new StartedStream(
                firstSortedStream(pipeline, (int) pipeline.neededCount(0), sorted), 1);
        case LocalStage.Sorted _
            when pipeline.neededCount(0) <= PipelineTask.MAX_FIRST_ELEMENTS -> {
          LocalRunAdvice.beforeSort(pipeline);
          yield new StartedStream(pulledStream(pipeline, options, Terminal.ELEMENTS), 0);
        }
        case LocalStage.Distinct _ when pipeline.isDistinct() ->
            new StartedStream(pulledStream(pipeline, options, Terminal.ELEMENTS), 1);
        // Equal elements of different answers remain, so the local stage runs as well.
        case LocalStage.Distinct _ when pipeline.recordedStages().hasStages() ->
            new StartedStream(pulledStream(pipeline, options, Terminal.DISTINCT), 0);
        case LocalStage.Limit limit -> {
          int batch = Math.clamp(limit.count(), 1, options.batch());
          yield new StartedStream(
              pulledStream(pipeline, options.batch(batch), Terminal.ELEMENTS), 0);
        }
        case null, default ->
            new StartedStream(pulledStream(pipeline, options, Terminal.ELEMENTS), 0);
      };
    }

    private BaseStream<?, ?> pulledStream(Pipeline pipeline, ScanOptions options, Terminal end) {
      List<LocalStage> here = pipeline.localStages();
      // Other stages may want no more before the end.
      boolean pullsAll = here.isEmpty() ? readsAll : here.getFirst() instanceof LocalStage.Sorted;
      return lazyStream(
          pipeline,
          () -> closeLater(pipeline.pullElements(options, end, pullsAll)),
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
            ExternalSort sort = newSort(sorted, pipeline.origin().elementCodec(), count);
            closeLater(pipeline.pullElements(pipeline.options(), Terminal.ELEMENTS, true))
                .forEachRemaining(sort::add);
            return sort.sortedIterator();
          },
          Spliterator.ORDERED);
    }

    /** A stream of what owners send, which requests it only when its terminal operation runs. */
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
        BaseStream<?, ?> stream, LocalStage.Sorted sorted, ElementCodec elementCodec, long needed) {
      ElementKind elementKind = ElementKind.of(stream);
      Stream<Object> elements = elementKind.boxed(stream);
      return elementKind.unboxed(
          StreamSupport.stream(
              () -> {
                ExternalSort sort = newSort(sorted, elementCodec, needed);
                elements.sequential().forEachOrdered(sort::add);
                return Spliterators.spliteratorUnknownSize(
                    sort.sortedIterator(), Spliterator.ORDERED);
              },
              Spliterator.ORDERED,
              false));
    }

    private ExternalSort newSort(LocalStage.Sorted sorted, ElementCodec elementCodec, long needed) {
      return closeLater(
          new ExternalSort(
              sorted.order(),
              needed,
              elementCodec,
              ExternalSort.BUDGET_BYTES,
              ScratchFile::createTemporary));
    }

    // ------------------------------------------------------------------ closing

    /** Closes all resources, the last first, even if some fail. */
    @Override
    public void close() {
      List<AutoCloseable> all = new ArrayList<>(resources);
      resources.clear();
      RuntimeException failure = null;
      for (AutoCloseable resource : all.reversed()) {
        try {
          resource.close();
        } catch (Exception e) {
          if (failure != null) {
            failure.addSuppressed(e);
          } else if (e instanceof RuntimeException unchecked) {
            failure = unchecked;
          } else {
            failure = new IllegalStateException("a resource of a stream cannot be closed", e);
          }
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
