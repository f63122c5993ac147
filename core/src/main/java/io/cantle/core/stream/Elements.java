package io.cantle.core.stream;

import io.cantle.core.base.NoRoomException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Scans.Part;
import io.cantle.core.publish.Tasks;
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
   * Entries whose elements may be kept by what ends the stream, as collectors do. What was made of
   * an entry is weighed as it goes by: it ends the scan early, so that owners hold little, and is
   * refused if it is too much already.
   */
  final class Weighed implements Iterator<Entry> {
    /** What is longer than a message fails anyway, and objects take several times their bytes. */
    static final int KEPT_MAX_BYTES = 256 << 20;

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
      long bytes = weight.of(element);
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
