package io.cantle.core.stream;

import io.cantle.core.base.Output;
import io.cantle.core.base.OutputFullException;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.scan.TaskInterpreter;
import io.cantle.core.scan.TaskInterpreter.EntryConsumer;
import io.cantle.core.stream.PipelineTask.Terminal;
import io.cantle.core.wire.PullRequest.EntryPart;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The owner side of streams: replays recorded pipelines over live entries.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the calling thread.
 */
public final class PipelineRunner implements TaskInterpreter {
  private final Codec codec;
  private final DecodedObjectCache objectCache;
  private final ElementCodec elementCodec;
  private final TerminalInterpreter terminals;

  /**
   * Creates a runner that decodes functions with the codec, and entries through the object cache.
   *
   * @param caches opens a cache on this node
   */
  public PipelineRunner(
      Codec codec, DecodedObjectCache objectCache, Function<CacheIdentity, ?> caches) {
    this.codec = codec;
    this.objectCache = objectCache;
    this.elementCodec = new ElementCodec(codec);
    this.terminals = new TerminalInterpreter(codec, caches);
  }

  /**
   * Reads a pipeline that ends in one result.
   *
   * @throws io.cantle.core.base.MalformedException if it is malformed, or a function is not allowed
   *     here
   */
  @Override
  public Reduction readReduction(byte[] bytes) {
    PipelineTask task = PipelineTask.read(bytes, codec, terminals);
    return new Reduction() {
      @Override
      public void reduce(EntrySource entries, Output partial) {
        PipelineRunner.this.reduce(task, entries, partial);
      }

      @Override
      public boolean mayBlock() {
        return task.terminal() == Terminal.FOR_EACH_WITH_CACHE;
      }

      @Override
      public boolean needsValues() {
        return task.needsValues();
      }
    };
  }

  /**
   * Reads a pipeline whose elements are delivered.
   *
   * @throws io.cantle.core.base.MalformedException if it is malformed, or a function is not allowed
   *     here
   */
  @Override
  public Transformation readTransformation(byte[] bytes) {
    PipelineTask task = PipelineTask.read(bytes, codec, terminals);
    boolean distinct = task.terminal() == Terminal.DISTINCT;
    if (!distinct && task.terminal() != Terminal.ELEMENTS) {
      throw new IllegalArgumentException("a task with a terminal operation delivers no elements");
    }
    return new Transformation() {
      @Override
      public void run(Output out, Consumer<EntryConsumer> scan) {
        new ElementWriter(task, distinct, out).run(scan);
      }

      @Override
      public boolean needsValues() {
        return task.needsValues();
      }
    };
  }

  private void reduce(PipelineTask task, EntrySource entries, Output partial) {
    // If the stages make no new elements, the entries themselves have been counted already.
    WeighingIterator weighed = task.retainsMadeElements() ? new WeighingIterator(entries) : null;
    Iterator<Entry> wanted = weighed == null ? entries : weighed;
    // Never split: owners work in parallel, each with one thread for a request.
    Spliterator<Object> parts =
        Spliterators.spliteratorUnknownSize(partsOf(task.part(), wanted), Spliterator.NONNULL);
    try (Stream<Object> source = StreamSupport.stream(parts, false);
        BaseStream<?, ?> elements = PipelineStage.appendAll(task.stages(), source)) {
      switch (task.terminal()) {
        case COUNT -> partial.writeVarint(task.elementKind().count(elements));
        case SUMMARY -> task.elementKind().writeSummary(elements, partial);
        default -> {
          Stream<Object> boxed = task.elementKind().boxed(elements);
          task.reduction()
              .reduce(
                  entries.cache(), weighed == null ? boxed : boxed.peek(weighed::weigh), partial);
        }
      }
    }
    task.captures().requireUnchanged();
  }

  private Iterator<Object> partsOf(EntryPart part, Iterator<Entry> entries) {
    Function<Entry, Object> partReader = partReader(part);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return entries.hasNext();
      }

      @Override
      public Object next() {
        return partReader.apply(entries.next());
      }

      // The choice is made once, not for each entry: owners spend most of their time in this loop.
      @Override
      public void forEachRemaining(Consumer<? super Object> action) {
        switch (part) {
          case ENTRY ->
              entries.forEachRemaining(
                  e -> action.accept(new StreamEntry.LazyEntry(objectCache, e)));
          case KEY -> entries.forEachRemaining(e -> action.accept(objectCache.keyOf(e)));
          case VALUE -> entries.forEachRemaining(e -> action.accept(objectCache.valueOf(e)));
        }
      }
    };
  }

  /** Returns what makes a part of an entry an object. */
  private Function<Entry, Object> partReader(EntryPart part) {
    return switch (part) {
      case ENTRY -> entry -> new StreamEntry.LazyEntry(objectCache, entry);
      case KEY -> objectCache::keyOf;
      case VALUE -> objectCache::valueOf;
    };
  }

  /** The exception for a stream that makes more of one entry than the limit. */
  private IllegalArgumentException tooMuchException(
      String verb, int maxBytes, Entry entry, @Nullable Exception cause) {
    return new IllegalArgumentException(
        ("a stream %s more than %s bytes made of the single entry with key %s, the limit for one"
                + " entry: make less of an entry in map, flatMap or mapMulti")
            .formatted(verb, maxBytes, objectCache.keyOf(entry)),
        cause);
  }

  /**
   * Weighs the elements that were made of entries, where the terminal operation may keep them, as
   * collectors do. What is made of an entry ends the scan early if it is much, so that owners hold
   * little, and is refused if it is too much.
   *
   * <p><b>Threading:</b> one thread, that of the request.
   */
  final class WeighingIterator implements Iterator<Entry> {
    /**
     * The most bytes kept of one entry. A result longer than a message fails anyway, and objects
     * take several times their encoded bytes.
     */
    static final int MAX_KEPT_BYTES = 256 << 20;

    /**
     * Above this many bytes of one entry, elements are measured: nothing is refused by an estimate,
     * since a few elements may be far longer than the others.
     */
    private static final int MAX_ESTIMATED_BYTES = 16 << 20;

    private final EntrySource entries;
    private final ElementCodec.SizeEstimator sizeEstimator = elementCodec.new SizeEstimator();
    private @Nullable Entry last;
    private long madeBytes;

    WeighingIterator(EntrySource entries) {
      this.entries = entries;
    }

    @Override
    public boolean hasNext() {
      return entries.hasNext();
    }

    @Override
    public Entry next() {
      Entry next = entries.next();
      last = next;
      madeBytes = 0;
      return next;
    }

    /** Adds an element that was made of the last entry. */
    void weigh(Object element) {
      long bytes =
          madeBytes < MAX_ESTIMATED_BYTES
              ? sizeEstimator.estimateBytes(element)
              : sizeEstimator.measureBytes(element);
      entries.addMadeBytes(bytes);
      madeBytes += bytes;
      Entry lastEntry = last;
      if (madeBytes > MAX_KEPT_BYTES && lastEntry != null) {
        throw tooMuchException("keeps", MAX_KEPT_BYTES, lastEntry, null);
      }
    }
  }

  /**
   * Runs the stages of a pipeline over the entries of one scan and writes the resulting elements.
   * These must be told apart by the entry they came from, so the scan pushes its entries through
   * the JDK stream. Whatever was made of an entry has been written when the next entry is pushed,
   * because no stage that owners run ends a stream early.
   *
   * <p><b>Threading:</b> one thread, that of the request.
   */
  final class ElementWriter {
    /**
     * The most bytes made of one entry: stops a mapper that makes endless streams or a huge
     * element.
     */
    static final int MAX_MADE_BYTES = 16 << 20;

    private final PipelineTask task;
    private final boolean distinct;
    private final Function<Entry, Object> partReader;
    private final Output out;
    private @Nullable Entry entry;
    private @Nullable Object source;
    private int count;
    private boolean hasScanned;

    ElementWriter(PipelineTask task, boolean distinct, Output out) {
      this.task = task;
      this.distinct = distinct;
      this.partReader = partReader(task.part());
      this.out = out;
    }

    /** Runs the scan and writes the resulting elements. */
    void run(Consumer<EntryConsumer> scan) {
      Stream<Object> pushed =
          Stream.of(scan)
              .mapMulti(
                  (run, sink) -> {
                    run.accept(live -> push(live, sink));
                    hasScanned = true;
                  });
      Stream<Object> elements =
          task.elementKind().boxed(PipelineStage.appendAll(task.stages(), pushed));
      (distinct ? elements.distinct() : elements).forEach(this::write);
      if (!hasScanned) {
        throw new IllegalStateException("the stages of a stream did not read its entries");
      }
      task.captures().requireUnchanged();
    }

    /** Pushes an entry; returns how many elements were written. */
    private int push(Entry live, Consumer<Object> sink) {
      Object element = partReader.apply(live);
      entry = live;
      source = element;
      count = 0;
      // The entry itself is always accepted, however long it is.
      out.limit(out.position() + MAX_MADE_BYTES + live.bytes().length);
      try {
        sink.accept(element);
      } catch (OutputFullException e) {
        throw tooMuchException("sends", MAX_MADE_BYTES, live, e);
      } finally {
        out.limit(Integer.MAX_VALUE);
      }
      return count;
    }

    @SuppressWarnings(
        "ReferenceEquality") // An equal object may have other bytes; the same has these.
    private void write(@Nullable Object element) {
      Entry live = entry;
      if (live == null) {
        throw new IllegalStateException("an element came while no entry was pushed");
      }
      if (element == source) {
        elementCodec.writeStored(task.part(), live, out);
      } else {
        elementCodec.writeResult(element, out);
      }
      count++;
    }
  }
}
