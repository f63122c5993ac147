package io.cantle.core.publish;

import io.cantle.CloseableIterator;
import io.cantle.core.base.Input;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import io.cantle.core.scan.ScanOptions;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over all elements of a scan.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ScanIterator<T> implements CloseableIterator<T> {
  private final PullClient pullClient;
  private final ScanOptions options;
  private final Function<Input, T> elementReader;
  private PullClient.@Nullable ElementBlock block;
  private boolean closed;

  ScanIterator(ScanContext context, PullClient.ScanSpec spec, Function<Input, T> elementReader) {
    this.pullClient =
        new PullClient(context, spec, PullClient.fromStart(context, spec.options()), false, this);
    this.options = spec.options();
    this.elementReader = elementReader;
  }

  @Override
  public boolean hasNext() {
    while (block == null || block.remaining() == 0) {
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
    return pullClient.read(Objects.requireNonNull(block), elementReader);
  }

  /** Advances to the next elements or the next end of a segment; false when there is none. */
  private boolean advance() {
    boolean advanced = false;
    try {
      PullClient.ScanEvent event = pullClient.next(() -> closed);
      switch (event) {
        case null -> close();
        case PullClient.ElementBlock next -> block = next;
        case PullClient.SegmentEnd end when end.complete() ->
            options.notifyCompleted(end.segment());
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
      block = null;
      pullClient.stop();
    }
  }
}
