package io.cantle.core.stream;

import io.cantle.core.base.Output;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.publish.Tasks.Feed;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The wanted part of live entries as the source of a stream of the JDK. A stream that ends in one
 * result pulls them, and may end early. A stream whose elements are delivered is pushed by the
 * scan: it has to tell the elements apart by the entry they came of. Neither is ever split: owners
 * work side by side, each on one thread per request.
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
    /** Holds back a mapper that makes streams without end; one output always fits. */
    private static final int OUTPUT_BYTES_PER_ENTRY_MAX = 16 << 20;

    private final Task task;
    private final boolean distinct;
    private final Decoded decoded;
    private final ElementForm elementForm;
    private final Output out;
    private @Nullable Consumer<Feed> scan;
    private @Nullable Entry entry;
    private @Nullable Object source;
    private int start;
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
            start = out.position();
            count = 0;
            action.accept(element);
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
      if (count > 1 && out.position() - start > OUTPUT_BYTES_PER_ENTRY_MAX) {
        throw new IllegalArgumentException(
            "the stages of a stream make more than "
                + OUTPUT_BYTES_PER_ENTRY_MAX
                + " bytes of the one entry with key "
                + decoded.key(live)
                + "; the limit is fixed, let flatMap return less");
      }
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
