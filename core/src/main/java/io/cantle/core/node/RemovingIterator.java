package io.cantle.core.node;

import io.cantle.CloseableIterator;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over a view of a cache that can remove the last element it returned.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param <S> what a scan delivers
 * @param <E> the element that is made of it
 */
final class RemovingIterator<S, E> implements CloseableIterator<E> {
  private final CloseableIterator<S> scanned;
  private final Function<S, E> view;
  private final Consumer<S> removal;
  private @Nullable S last;

  RemovingIterator(CloseableIterator<S> scanned, Function<S, E> view, Consumer<S> removal) {
    this.scanned = scanned;
    this.view = view;
    this.removal = removal;
  }

  @Override
  public boolean hasNext() {
    return scanned.hasNext();
  }

  @Override
  public E next() {
    S next = scanned.next();
    last = next;
    return view.apply(next);
  }

  @Override
  public void remove() {
    S removed = last;
    if (removed == null) {
      throw new IllegalStateException(
          "there is nothing to remove: call next() before each remove()");
    }
    last = null;
    removal.accept(removed);
  }

  @Override
  public void close() {
    scanned.close();
  }
}
