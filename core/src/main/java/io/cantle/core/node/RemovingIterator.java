package io.cantle.core.node;

import io.cantle.CloseableIterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over a view of a cache that can remove the last element it returned.
 *
 * <p><b>Threading:</b> one thread.
 */
final class RemovingIterator<E> implements CloseableIterator<E> {
  private final CloseableIterator<E> elements;
  private final Consumer<E> removal;
  private @Nullable E last;

  RemovingIterator(CloseableIterator<E> elements, Consumer<E> removal) {
    this.elements = elements;
    this.removal = removal;
  }

  @Override
  public boolean hasNext() {
    return elements.hasNext();
  }

  @Override
  public E next() {
    E element = elements.next();
    last = element;
    return element;
  }

  @Override
  public void remove() {
    E element = last;
    if (element == null) {
      throw new IllegalStateException(
          "there is nothing to remove: call next() before each remove()");
    }
    last = null;
    removal.accept(element);
  }

  @Override
  public void close() {
    elements.close();
  }
}
