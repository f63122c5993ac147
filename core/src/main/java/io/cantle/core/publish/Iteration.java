package io.cantle.core.publish;

import io.cantle.CloseableIterator;
import io.cantle.ScanSettings.SegmentListener;
import io.cantle.core.base.Input;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All elements of a scan, one by one.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Iteration<T> implements CloseableIterator<T> {
  private final Pulling pulling;
  private final List<SegmentListener> listeners;
  private final Function<Input, T> read;
  private Pulling.@Nullable Block block;
  private int left;
  private boolean closed;

  Iteration(Access access, Pulling.Wish wish, Function<Input, T> read) {
    this.pulling = new Pulling(access, wish, Pulling.all(access, wish.options()), false, this);
    this.listeners = wish.options().listeners();
    this.read = read;
  }

  @Override
  public boolean hasNext() {
    while (left == 0) {
      if (closed || !advance()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("every element was delivered");
    }
    Pulling.Block here = block;
    if (here == null) {
      throw new IllegalStateException("elements are left and none has come");
    }
    T element = pulling.read(here, read);
    left = here.left();
    return element;
  }

  /** Goes on to the next elements or the next end of a segment; false when there is none. */
  private boolean advance() {
    boolean advanced = false;
    try {
      Pulling.Event event = pulling.next(() -> closed);
      switch (event) {
        case null -> close();
        case Pulling.Block next -> {
          block = next;
          left = next.left();
        }
        case Pulling.Ended end when end.complete() ->
            listeners.forEach(listener -> listener.completed(end.segment()));
        case Pulling.Ended end -> {}
      }
      advanced = event != null;
      return advanced;
    } finally {
      if (!advanced) {
        close();
      }
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      left = 0;
      block = null;
      pulling.stop();
    }
  }
}
