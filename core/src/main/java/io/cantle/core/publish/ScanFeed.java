package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A feed over a scan.
 *
 * <p><b>Threading:</b> one thread at a time; {@link #stop} by any.
 *
 * @param <T> the elements
 * @param <S> what is published: what is made of the elements, and of the ends of segments
 */
final class ScanFeed<T, S> implements ElementFeed<S> {

  /** Maps the events of a scan to what is published. */
  interface EventMapper<T, S> {
    /** Maps an element. */
    S mapElement(int segment, T element);

    /** Maps the end of a segment; null publishes nothing. */
    @Nullable S mapEnd(PullClient.SegmentEnd end);

    /** Whether it publishes the ends of segments. */
    default boolean reportsEnds() {
      return false;
    }
  }

  /**
   * Publishes elements only.
   *
   * @param onCompleted called for each segment that was read to its end
   */
  record ElementMapper<T>(IntConsumer onCompleted) implements EventMapper<T, T> {
    @Override
    public T mapElement(int segment, T element) {
      return element;
    }

    @Override
    public @Nullable T mapEnd(PullClient.SegmentEnd end) {
      if (end.complete()) {
        onCompleted.accept(end.segment());
      }
      return null;
    }
  }

  private final PullClient pullClient;
  private final Function<Input, T> elementReader;
  private final EventMapper<T, S> mapper;
  private PullClient.@Nullable ElementBlock block;
  private volatile boolean stopped;
  private PullClient.@Nullable RemainingScan remaining;

  ScanFeed(
      ScanContext context,
      PullClient.ScanSpec spec,
      PullClient.RemainingScan start,
      Function<Input, T> elementReader,
      EventMapper<T, S> mapper) {
    this.pullClient = new PullClient(context, spec, start, mapper.reportsEnds(), this);
    this.elementReader = elementReader;
    this.mapper = mapper;
  }

  @Override
  public @Nullable S next() {
    while (!stopped) {
      PullClient.ElementBlock current = block;
      if (current != null && current.remaining() > 0) {
        T element = pullClient.read(current, elementReader);
        Objects.requireNonNull(element, "an element is null, and null cannot be published");
        return mapper.mapElement(current.segment(), element);
      }
      switch (pullClient.next(() -> stopped)) {
        case null -> {
          return null;
        }
        case PullClient.ElementBlock next -> block = next;
        case PullClient.SegmentEnd end -> {
          S event = mapper.mapEnd(end);
          if (event != null) {
            return event;
          }
        }
      }
    }
    return null;
  }

  @Override
  public boolean isExhausted() {
    PullClient.ElementBlock current = block;
    if (stopped || (current != null && current.remaining() > 0)) {
      return false;
    }
    if (!mapper.reportsEnds()) {
      for (PullClient.SegmentEnd end; (end = pullClient.takeEnd()) != null; ) {
        mapper.mapEnd(end);
      }
    }
    return pullClient.isExhausted();
  }

  @Override
  public void stop() {
    stopped = true;
    pullClient.wake();
  }

  @Override
  public void close() {
    if (remaining == null) {
      remaining = pullClient.stop();
    }
  }

  /** What was not delivered, once the feed is closed. */
  PullClient.RemainingScan remaining() {
    PullClient.RemainingScan result = remaining;
    if (result == null) {
      throw new IllegalStateException("remaining() was called before close()");
    }
    return result;
  }
}
