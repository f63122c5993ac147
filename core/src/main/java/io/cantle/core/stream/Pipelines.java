package io.cantle.core.stream;

import io.cantle.core.base.NoRoomException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.publish.Tasks;
import io.cantle.core.publish.Tasks.Feed;
import io.cantle.core.stream.Pipelines.Elements.Weighed;
import io.cantle.core.stream.Sorting.First;
import io.cantle.core.stream.Task.Terminal;
import java.util.Iterator;
import java.util.Optional;
import java.util.Spliterator;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of streams: replays recorded pipelines over live entries.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the thread that asked.
 */
public final class Pipelines implements Tasks {
  /** Stands for no element yet, since null may be one. */
  private static final Object NONE = new Object();

  private final Codec codec;
  private final Decoded decoded;
  private final ElementForm elementForm;
  private final Function<String, ?> caches;

  /**
   * Decodes functions with the codec, and entries with what keeps them decoded.
   *
   * @param caches opens the cache of a name on this node
   */
  public Pipelines(Codec codec, Decoded decoded, Function<String, ?> caches) {
    this.codec = codec;
    this.decoded = decoded;
    this.elementForm = new ElementForm(codec);
    this.caches = caches;
  }

  /**
   * Reads a pipeline that ends in one result.
   *
   * @throws io.cantle.core.base.MalformedException when it is none, or a function is not allowed
   *     here
   */
  @Override
  public Reduction reduction(byte[] bytes) {
    Task task = Task.read(bytes, codec);
    return new Reduction() {
      @Override
      public void reduce(Entries entries, Output partial) {
        Pipelines.this.reduce(task, entries, partial);
      }

      @Override
      public boolean waits() {
        return task.terminal() instanceof Terminal.ForEachIn;
      }

      @Override
      public boolean needsValues() {
        return task.needsValues();
      }
    };
  }

  /**
   * Reads a pipeline that ends in elements.
   *
   * @throws io.cantle.core.base.MalformedException when it is none, or a function is not allowed
   *     here
   */
  @Override
  public Transformation transformation(byte[] bytes) {
    Task task = Task.read(bytes, codec);
    if (!(task.terminal() instanceof Terminal.Elements(boolean distinct))) {
      throw new IllegalArgumentException("a task with an end makes no elements");
    }
    return new Transformation() {
      @Override
      public void run(Output out, Consumer<Feed> scan) {
        new Elements.Pushed(task, distinct, decoded, elementForm, out).write(scan);
      }

      @Override
      public boolean needsValues() {
        return task.needsValues();
      }
    };
  }

  private void reduce(Task task, Entries entries, Output partial) {
    // Entries that only pass have been counted as what they are.
    Weighed weighed = task.keepsWhatItMakes() ? new Weighed(entries, decoded, elementForm) : null;
    Iterator<Entry> wanted = weighed == null ? entries : weighed;
    try (Stream<Object> source = Elements.pulled(task.part(), wanted, decoded);
        BaseStream<?, ?> elements = Stage.replay(task.stages(), source)) {
      switch (task.terminal()) {
        case Terminal.Count ignored -> partial.writeVarint(task.shape().count(elements));
        case Terminal.Summary ignored -> task.shape().summarize(elements, partial);
        default -> {
          Stream<Object> boxed = task.shape().boxed(elements);
          reduce(task, weighed == null ? boxed : boxed.peek(weighed::made), partial);
        }
      }
    }
  }

  private void reduce(Task task, Stream<Object> elements, Output partial) {
    switch (task.terminal()) {
      case Terminal.Elements ignored ->
          throw new IllegalArgumentException("a task without an end has no single result");
      case Terminal.Count ignored -> throw new IllegalStateException("counted before");
      case Terminal.Summary ignored -> throw new IllegalStateException("summed up before");
      case Terminal.Collect collect ->
          new Gathering(collect.collector().get(), codec).accumulate(elements, partial);
      case Terminal.CollectInto into -> {
        Object container = into.supplier().get();
        BiConsumer<Object, Object> accumulator = into.accumulator();
        elements.forEach(element -> accumulator.accept(container, element));
        new ContainerForm(codec).write(container, false, partial);
      }
      case Terminal.Reduce reduce -> optional(elements, reduce.accumulator(), partial);
      case Terminal.Min min -> optional(elements, BinaryOperator.minBy(min.comparator()), partial);
      case Terminal.Max max -> optional(elements, BinaryOperator.maxBy(max.comparator()), partial);
      case Terminal.Fold fold -> elementForm.write(fold(elements, fold), partial);
      case Terminal.AnyMatch any -> partial.writeBoolean(elements.anyMatch(any.predicate()));
      case Terminal.AllMatch all -> partial.writeBoolean(elements.allMatch(all.predicate()));
      case Terminal.FindAny ignored -> {
        Optional<Object> found = elements.findAny();
        partial.writeBoolean(found.isPresent());
        if (found.isPresent()) {
          elementForm.write(found.get(), partial);
        }
      }
      case Terminal.ForEach forEach -> elements.forEach(forEach.action());
      case Terminal.ForEachIn forEach -> {
        Object cache = caches.apply(forEach.cache());
        BiConsumer<Object, Object> action = forEach.action();
        elements.forEach(element -> action.accept(cache, element));
      }
      case Terminal.First first -> {
        First kept = new First(first.count(), first.order());
        elements.forEach(element -> kept.add(element, 0));
        elementForm.writeAll(kept.inOrder(), partial);
      }
    }
  }

  /**
   * A reduction whose result may be null on the way: the JDK's own would refuse it here, where it
   * is only a part of the whole.
   */
  @SuppressWarnings("ReferenceEquality") // The mark equals nothing but itself.
  private void optional(
      Stream<Object> elements, BinaryOperator<Object> accumulator, Output partial) {
    Object result =
        elements.reduce(
            NONE,
            (before, element) -> before == NONE ? element : accumulator.apply(before, element));
    partial.writeBoolean(result != NONE);
    if (result != NONE) {
      elementForm.write(result, partial);
    }
  }

  // The JDK takes null for an identity, though its types as read here do not say so.
  @SuppressWarnings("NullAway")
  private static @Nullable Object fold(Stream<Object> elements, Terminal.Fold fold) {
    BiFunction<Object, Object, Object> accumulator = fold.accumulator();
    return elements.reduce(fold.identity(), accumulator, (left, right) -> left);
  }

  /**
   * The wanted part of live entries as the source of a stream of the JDK. A stream that ends in one
   * result pulls them, and may end early. A stream whose elements are delivered is pushed by the
   * scan: it has to tell the elements apart by the entry they came of. Neither is ever split:
   * owners work side by side, each on one thread per request.
   *
   * <p><b>Threading:</b> one thread, that of the request.
   */
  interface Elements extends Spliterator<Object> {

    @Override
    default @Nullable Spliterator<Object> trySplit() {
      return null;
    }

    @Override
    default long estimateSize() {
      return Long.MAX_VALUE;
    }

    /** The elements of a task that ends in one result. */
    static Stream<Object> pulled(Part part, Iterator<Entry> entries, Decoded decoded) {
      return StreamSupport.stream(new Pulled(part, entries, decoded), false);
    }

    /** The wanted part of one entry. */
    private static Object element(Part part, Entry entry, Decoded decoded) {
      return switch (part) {
        case ENTRY -> new StreamEntry.View(decoded, entry);
        case KEY -> decoded.key(entry);
        case VALUE -> decoded.value(entry);
      };
    }

    /** What the stages of a stream make of one entry is more than anybody holds. */
    private static IllegalArgumentException tooMuch(
        String verb, int most, Object key, @Nullable Exception cause) {
      return new IllegalArgumentException(
          "a stream "
              + verb
              + " more than "
              + most
              + " bytes made of the one entry with key "
              + key
              + ", which is the limit: let map, flatMap or mapMulti make less of it",
          cause);
    }

    /**
     * Entries whose elements may be kept by what ends the stream, as collectors do. What was made
     * of an entry is weighed as it goes by: it ends the scan early, so that owners hold little, and
     * is refused if it is too much already.
     */
    final class Weighed implements Iterator<Entry> {
      /** What is longer than a message fails anyway, and objects take several times their bytes. */
      static final int KEPT_MAX_BYTES = 256 << 20;

      /** Beyond this of one entry nothing is refused by an estimate: a few may be far longer. */
      private static final int ESTIMATED_MAX_BYTES = 16 << 20;

      private final Tasks.Entries entries;
      private final Decoded decoded;
      private final ElementForm.Weight weight;
      private @Nullable Entry last;
      private long made;

      Weighed(Tasks.Entries entries, Decoded decoded, ElementForm elementForm) {
        this.entries = entries;
        this.decoded = decoded;
        this.weight = elementForm.new Weight();
      }

      @Override
      public boolean hasNext() {
        return entries.hasNext();
      }

      @Override
      public Entry next() {
        Entry next = entries.next();
        last = next;
        made = 0;
        return next;
      }

      /** An element came of the last entry. */
      void made(Object element) {
        long bytes = made < ESTIMATED_MAX_BYTES ? weight.of(element) : weight.exactly(element);
        entries.made(bytes);
        made += bytes;
        Entry of = last;
        if (made > KEPT_MAX_BYTES && of != null) {
          throw tooMuch("keeps", KEPT_MAX_BYTES, decoded.key(of), null);
        }
      }
    }

    /** Entries are taken from an iterator. */
    record Pulled(Part part, Iterator<Entry> entries, Decoded decoded) implements Elements {

      @Override
      public boolean tryAdvance(Consumer<? super Object> action) {
        if (!entries.hasNext()) {
          return false;
        }
        action.accept(element(part, entries.next(), decoded));
        return true;
      }

      // The choice is made once and not for each entry: this loop is where owners spend their time.
      @Override
      public void forEachRemaining(Consumer<? super Object> action) {
        switch (part) {
          case ENTRY ->
              entries.forEachRemaining(e -> action.accept(new StreamEntry.View(decoded, e)));
          case KEY -> entries.forEachRemaining(e -> action.accept(decoded.key(e)));
          case VALUE -> entries.forEachRemaining(e -> action.accept(decoded.value(e)));
        }
      }

      @Override
      public int characteristics() {
        return part == Part.VALUE ? NONNULL : NONNULL | DISTINCT;
      }
    }

    /**
     * Runs the stages of a pipeline over the entries of one scan and writes the elements that come
     * out. The stream of the JDK asks this source to feed it all, and what becomes of an entry has
     * been written when the next is fed.
     */
    final class Pushed implements Elements {
      /** Holds back a mapper that makes streams without end, or one thing without measure. */
      static final int MADE_MAX_BYTES = 16 << 20;

      private final Task task;
      private final boolean distinct;
      private final Decoded decoded;
      private final ElementForm elementForm;
      private final Output out;
      private @Nullable Consumer<Feed> scan;
      private @Nullable Entry entry;
      private @Nullable Object source;
      private int count;

      Pushed(Task task, boolean distinct, Decoded decoded, ElementForm elementForm, Output out) {
        this.task = task;
        this.distinct = distinct;
        this.decoded = decoded;
        this.elementForm = elementForm;
        this.out = out;
      }

      /** Has the scan run and writes what comes of it. */
      void write(Consumer<Feed> wanted) {
        scan = wanted;
        Stream<Object> elements =
            task.shape().boxed(Stage.replay(task.stages(), StreamSupport.stream(this, false)));
        (distinct ? elements.distinct() : elements).forEach(this::write);
        if (scan != null) {
          throw new IllegalStateException("the stages of a stream did not ask for its entries");
        }
      }

      @Override
      public void forEachRemaining(Consumer<? super Object> action) {
        Consumer<Feed> wanted = scan;
        if (wanted == null) {
          return;
        }
        scan = null;
        wanted.accept(
            live -> {
              Object element = element(task.part(), live, decoded);
              entry = live;
              source = element;
              count = 0;
              // The entry itself always passes, however long it is.
              out.limit(out.position() + MADE_MAX_BYTES + live.bytes().length);
              try {
                action.accept(element);
              } catch (NoRoomException e) {
                throw tooMuch("sends", MADE_MAX_BYTES, decoded.key(live), e);
              } finally {
                out.limit(Integer.MAX_VALUE);
              }
              return count;
            });
      }

      @SuppressWarnings(
          "ReferenceEquality") // Equal objects may have other bytes, the same has these.
      private void write(@Nullable Object element) {
        Entry live = entry;
        if (live == null) {
          throw new IllegalStateException("an element came when no entry was fed");
        }
        if (element == source) {
          elementForm.writeStored(task.part(), live, out);
        } else {
          elementForm.write(element, out);
        }
        count++;
      }

      /** Not how this source is used: none of the stages that owners run ends a stream early. */
      @Override
      public boolean tryAdvance(Consumer<? super Object> action) {
        throw new UnsupportedOperationException("elements are pushed");
      }

      @Override
      public int characteristics() {
        return NONNULL;
      }
    }
  }
}
