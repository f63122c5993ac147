package io.cantle.cluster;

import io.cantle.CachePublisher;
import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.SegmentSignal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/**
 * Streams whose {@code toList} and {@code toArray} return what subscribers receive from a
 * publisher; all other operations are those of the stream. So every pipeline that ends in one of
 * them also tests publishers.
 *
 * <p><b>Threading:</b> any thread.
 */
final class PublishedStream {

  /** The kinds of publishers. */
  enum Kind {
    /** One publisher for everything. */
    WHOLE,
    /** Several publishers of disjoint parts, at the same time. */
    SPLIT,
    /** A publisher that reports the segment of each element. */
    BY_SEGMENT
  }

  private static final int PARTS = 3;

  private PublishedStream() {}

  /** Returns the stream with these terminal operations. */
  @SuppressWarnings("unchecked")
  static <T> CacheStream<T> publish(CacheStream<T> stream, Kind kind) {
    return (CacheStream<T>) wrap(stream, kind);
  }

  private static Object wrap(BaseStream<?, ?> stream, Kind kind) {
    Class<?> type =
        switch (stream) {
          case IntCacheStream _ -> IntCacheStream.class;
          case LongCacheStream _ -> LongCacheStream.class;
          case DoubleCacheStream _ -> DoubleCacheStream.class;
          default -> CacheStream.class;
        };
    return Proxy.newProxyInstance(
        PublishedStream.class.getClassLoader(),
        new Class<?>[] {type},
        (_, method, arguments) -> call(stream, kind, method, arguments));
  }

  private static @Nullable Object call(
      BaseStream<?, ?> stream, Kind kind, Method method, @Nullable Object[] arguments)
      throws Throwable {
    if (method.getName().equals("toList")) {
      return Collections.unmodifiableList(published(stream, kind));
    }
    if (method.getName().equals("toArray") && method.getParameterCount() == 0) {
      List<?> all = published(stream, kind);
      return switch (stream) {
        case IntCacheStream _ -> all.stream().mapToInt(Integer.class::cast).toArray();
        case LongCacheStream _ -> all.stream().mapToLong(Long.class::cast).toArray();
        case DoubleCacheStream _ -> all.stream().mapToDouble(Double.class::cast).toArray();
        default -> all.toArray();
      };
    }
    try {
      Object result = method.invoke(stream, arguments);
      return result instanceof BaseStream<?, ?> next ? wrap(next, kind) : result;
    } catch (InvocationTargetException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  private static List<?> published(BaseStream<?, ?> stream, Kind kind) {
    return switch (stream) {
      case IntCacheStream ints -> published(ints.publisher(), kind);
      case LongCacheStream longs -> published(longs.publisher(), kind);
      case DoubleCacheStream doubles -> published(doubles.publisher(), kind);
      default -> published(((CacheStream<?>) stream).publisher(), kind);
    };
  }

  private static <T> List<T> published(CachePublisher<T> publisher, Kind kind) {
    try {
      return switch (kind) {
        case WHOLE -> drain(List.of(publisher));
        case SPLIT -> drain(publisher.split(PARTS));
        case BY_SEGMENT -> bySegment(signals(publisher));
      };
    } catch (UnsupportedOperationException e) {
      // A stream with stages that run at the caller has only one publisher.
      return drain(List.of(publisher));
    }
  }

  /** Returns the signals of a publisher, segment by segment. */
  static <T> List<SegmentSignal<T>> signals(CachePublisher<T> publisher) {
    return drain(List.of(publisher.bySegment()));
  }

  private static <T> List<T> bySegment(List<SegmentSignal<T>> signals) {
    List<T> elements = new ArrayList<>();
    Set<Integer> completed = new HashSet<>();
    for (SegmentSignal<T> signal : signals) {
      if (completed.contains(signal.segment())) {
        throw new AssertionError("after the end of its segment: " + signal);
      }
      switch (signal) {
        case SegmentSignal.Element<T> element -> elements.add(element.value());
        case SegmentSignal.Completed<T> done -> completed.add(done.segment());
        case SegmentSignal.Lost<T> lost -> throw new AssertionError("nothing is lost: " + lost);
      }
    }
    return elements;
  }

  private static <T> List<T> drain(List<? extends Flow.Publisher<T>> publishers) {
    List<BatchSubscriber<T>> takers = new ArrayList<>();
    for (Flow.Publisher<T> publisher : publishers) {
      BatchSubscriber<T> taker = new BatchSubscriber<>();
      takers.add(taker);
      publisher.subscribe(taker);
    }
    List<T> all = new ArrayList<>();
    try {
      takers.forEach(taker -> all.addAll(taker.end.join()));
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException thrown ? thrown : e;
    }
    return all;
  }

  /** A subscriber that requests a few elements at a time. */
  private static final class BatchSubscriber<T> implements Flow.Subscriber<T> {
    private static final int REQUEST_SIZE = 50;

    private final CompletableFuture<List<T>> end = new CompletableFuture<>();
    private final List<T> taken = new ArrayList<>();
    private Flow.@Nullable Subscription subscription;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(REQUEST_SIZE);
    }

    @Override
    public void onNext(T element) {
      taken.add(element);
      if (taken.size() % REQUEST_SIZE == 0) {
        Objects.requireNonNull(subscription).request(REQUEST_SIZE);
      }
    }

    @Override
    public void onError(Throwable thrown) {
      end.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
      end.complete(taken);
    }
  }
}
