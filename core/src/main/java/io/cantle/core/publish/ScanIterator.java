package io.cantle.core.publish;

import io.cantle.CloseableIterator;
import io.cantle.core.base.Input;
import io.cantle.core.scan.LocalScan;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import io.cantle.core.scan.ScanOptions;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over all elements of a scan. It reads here what it may, and pulls the rest.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ScanIterator<T> implements CloseableIterator<T> {
  private final ScanContext context;
  private final PullClient.ScanSpec spec;
  private final ScanOptions options;
  private final Function<Input, T> elementReader;
  private final Function<LocalScan, T> localReader;
  private @Nullable LocalScan localScan;
  private @Nullable PullClient pullClient;
  private PullClient.@Nullable ElementBlock block;
  private boolean closed;

  /** Creates an iterator that pulls everything. */
  ScanIterator(ScanContext context, PullClient.ScanSpec spec, Function<Input, T> elementReader) {
    this(
        context,
        spec,
        elementReader,
        holder -> null,
        scan -> {
          throw new IllegalStateException("everything is pulled");
        });
  }

  /**
   * Creates an iterator.
   *
   * @param localScans begins what is read here, for this iterator; null if everything is pulled
   * @param localReader reads an element of that
   */
  ScanIterator(
      ScanContext context,
      PullClient.ScanSpec spec,
      Function<Input, T> elementReader,
      Function<Object, @Nullable LocalScan> localScans,
      Function<LocalScan, T> localReader) {
    this.context = context;
    this.spec = spec;
    this.options = spec.options();
    this.elementReader = elementReader;
    this.localReader = localReader;
    this.localScan = localScans.apply(this);
    if (localScan == null) {
      pull(PullClient.fromStart(context, options));
    }
  }

  private void pull(PullClient.RemainingScan rest) {
    pullClient = new PullClient(context, spec, rest, false, this);
  }

  @Override
  public boolean hasNext() {
    LocalScan here = localScan;
    if (here != null) {
      if (hasNext(here)) {
        return true;
      }
      localScan = null;
      here.close();
      PullClient.RemainingScan rest = here.rest();
      if (rest.cursors().isEmpty()) {
        closed = true;
      } else {
        pull(rest);
      }
    }
    while (block == null || block.remaining() == 0) {
      if (closed || !advance()) {
        return false;
      }
    }
    return true;
  }

  private boolean hasNext(LocalScan here) {
    boolean answered = false;
    try {
      boolean hasNext = here.hasNext();
      answered = true;
      return hasNext;
    } finally {
      if (!answered) {
        close();
      }
    }
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("every element was delivered");
    }
    LocalScan here = localScan;
    return here != null
        ? localReader.apply(here)
        : Objects.requireNonNull(pullClient).read(Objects.requireNonNull(block), elementReader);
  }

  /** Advances to the next elements or the next end of a segment; false when there is none. */
  private boolean advance() {
    boolean advanced = false;
    try {
      PullClient.ScanEvent event = Objects.requireNonNull(pullClient).next(() -> closed);
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
    if (closed) {
      return;
    }
    closed = true;
    block = null;
    if (localScan != null) {
      localScan.close();
      localScan = null;
    }
    if (pullClient != null) {
      pullClient.stop();
    }
  }
}
