package io.cantle.core.stream;

import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Scans.Part;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wanted part of live entries, as the source of a stream. It is never split: owners work side
 * by side, each on one thread per request.
 *
 * <p><b>Threading:</b> one thread, that of the request.
 */
final class LiveElements implements Spliterator<Object> {
  private final Part part;
  private final Iterator<Entry> entries;
  private final Decoded decoded;

  LiveElements(Part part, Iterator<Entry> entries, Decoded decoded) {
    this.part = part;
    this.entries = entries;
    this.decoded = decoded;
  }

  /** The wanted part of one entry. */
  static Object element(Part part, Entry entry, Decoded decoded) {
    return switch (part) {
      case ENTRY -> new EntryView(decoded, entry);
      case KEY -> decoded.key(entry);
      case VALUE -> decoded.value(entry);
    };
  }

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
      case ENTRY -> entries.forEachRemaining(e -> action.accept(new EntryView(decoded, e)));
      case KEY -> entries.forEachRemaining(e -> action.accept(decoded.key(e)));
      case VALUE -> entries.forEachRemaining(e -> action.accept(decoded.value(e)));
    }
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
    return part == Part.VALUE ? NONNULL : NONNULL | DISTINCT;
  }
}
