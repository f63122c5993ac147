package io.cantle.core.publish;

import io.cantle.CloseableIterator;
import io.cantle.ScanSettings.SegmentListener;
import io.cantle.core.base.Input;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over all elements of a scan.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ScanIterator<T> implements CloseableIterator<T> {
  private final PullClient pullClient;
  private final List<SegmentListener> listeners;
  private final Function<Input, T> elementReader;
  private PullClient.@Nullable ElementBlock block;
  private int remaining;
  private boolean closed;

  ScanIterator(ScanContext context, PullClient.ScanSpec spec, Function<Input, T> elementReader) {
    this.pullClient =
        new PullClient(context, spec, PullClient.fromStart(context, spec.options()), false, this);
    this.listeners = spec.options().listeners();
    this.elementReader = elementReader;
  }

  @Override
  public boolean hasNext() {
    while (remaining == 0) {
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
    PullClient.ElementBlock current = block;
    if (current == null) {
      throw new IllegalStateException("elements are left, but no block of them is open");
    }
    T element = pullClient.read(current, elementReader);
    remaining = current.remaining();
    return element;
  }

  /** Advances to the next elements or the next end of a segment; false when there is none. */
  private boolean advance() {
    boolean advanced = false;
    try {
      PullClient.ScanEvent event = pullClient.next(() -> closed);
      switch (event) {
        case null -> close();
        case PullClient.ElementBlock next -> {
          block = next;
          remaining = next.remaining();
        }
        case PullClient.SegmentEnd end when end.complete() ->
            listeners.forEach(listener -> listener.completed(end.segment()));
        case PullClient.SegmentEnd end -> {}
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
      remaining = 0;
      block = null;
      pullClient.stop();
    }
  }
}
