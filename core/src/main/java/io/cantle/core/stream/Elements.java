package io.cantle.core.stream;

import io.cantle.core.base.Output;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Tasks.Feed;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs the stages of a pipeline over the entries of one scan and writes the elements that come out,
 * telling them apart by the entry they came of. The stages are pushed: the stream of the JDK asks
 * this source to feed it all, and what becomes of an entry has been written when the next is fed.
 *
 * <p><b>Threading:</b> one thread, that of the scan.
 */
final class Elements implements Spliterator<Object> {
  /** Holds back a mapper that makes streams without end; one output always fits. */
  private static final int OUTPUT_BYTES_PER_ENTRY_MAX = 16 << 20;

  private final Task task;
  private final Decoded decoded;
  private final ElementForm elementForm;
  private final Output out;
  private @Nullable Consumer<Feed> scan;
  private @Nullable Entry entry;
  private @Nullable Object source;
  private int start;
  private int count;

  Elements(Task task, Decoded decoded, ElementForm elementForm, Output out) {
    this.task = task;
    this.decoded = decoded;
    this.elementForm = elementForm;
    this.out = out;
  }

  /** Has the scan run and writes what comes of it. */
  void write(Consumer<Feed> wanted) {
    scan = wanted;
    task.shape()
        .boxed(Stage.replay(task.stages(), StreamSupport.stream(this, false)))
        .forEach(this::write);
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
          Object element = LiveElements.element(task.part(), live, decoded);
          entry = live;
          source = element;
          start = out.position();
          count = 0;
          action.accept(element);
          return count;
        });
  }

  @SuppressWarnings("ReferenceEquality") // Equal objects may have other bytes, the same has these.
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
  public @Nullable Spliterator<Object> trySplit() {
    return null;
  }

  @Override
  public long estimateSize() {
    return Long.MAX_VALUE;
  }

  @Override
  public int characteristics() {
    return NONNULL;
  }
}
