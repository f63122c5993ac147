package io.cantle.core.publish;

import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.SegmentSignal;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.container.Cursor;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes scans: each subscriber has one of its own, begun when it first asks for elements.
 *
 * <p><b>Threading:</b> immutable, any thread.
 */
final class ScanPublisher<T> implements CachePublisher<T> {
  private final World world;
  private final Supplier<Access> access;
  private final Pulling.Wish wish;
  private final Function<Input, T> read;

  ScanPublisher(World world, Supplier<Access> access, Pulling.Wish wish, Function<Input, T> read) {
    this.world = world;
    this.access = access;
    this.wish = wish;
    this.read = read;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    subscribe(new Elements(), subscriber);
  }

  private <S> void subscribe(ScanFeed.Form<T, S> form, Flow.Subscriber<? super S> subscriber) {
    new Subscription<S>(world.threads(), () -> feed(form), subscriber).begin();
  }

  private <S> ScanFeed<T, S> feed(ScanFeed.Form<T, S> form) {
    Access began = access.get();
    return new ScanFeed<>(began, wish, Pulling.all(began, wish.options()), read, form);
  }

  /** {@inheritDoc} Segments of one owner are dealt out in turn, so that all parts need all. */
  @Override
  public List<Part<T>> split(int parts) {
    if (parts < 1 || parts > CacheConfig.MAX_SEGMENTS) {
      throw new IllegalArgumentException(
          parts + " parts are not within 1.." + CacheConfig.MAX_SEGMENTS);
    }
    Access began = access.get();
    List<Map<Integer, Cursor>> dealt = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      dealt.add(new TreeMap<>());
    }
    int next = 0;
    for (List<Integer> segments : byOwner(began).values()) {
      for (int segment : segments) {
        dealt.get(next++ % parts).put(segment, Cursor.START);
      }
    }
    List<Part<T>> all = new ArrayList<>();
    for (Map<Integer, Cursor> segments : dealt) {
      all.add(
          new ScanPart<>(
              world, began, wish, read, new Elements(), new Pulling.Rest(List.of(), segments)));
    }
    return all;
  }

  private Map<Member, List<Integer>> byOwner(Access began) {
    Topology topology = began.topology();
    Map<Member, List<Integer>> byOwner = new TreeMap<>();
    for (int segment : Pulling.all(began, wish.options()).cursors().keySet()) {
      Ownership ownership = topology.ownership(began.cache(), segment);
      // Who asks for one that is lost, or vacant, is told so.
      Member owner = ownership.unowned() ? began.self() : ownership.primary();
      byOwner.computeIfAbsent(owner, member -> new ArrayList<>()).add(segment);
    }
    byOwner.values().forEach(segments -> segments.sort(null));
    return byOwner;
  }

  @Override
  public Flow.Publisher<SegmentSignal<T>> bySegment() {
    return subscriber -> subscribe(new Signals(), subscriber);
  }

  private void completed(int segment) {
    wish.options().listeners().forEach(listener -> listener.completed(segment));
  }

  /** Elements alone. */
  private final class Elements implements ScanFeed.Form<T, T> {
    @Override
    public T element(int segment, T element) {
      return element;
    }

    @Override
    public @Nullable T ended(Pulling.Ended end) {
      if (end.complete()) {
        completed(end.segment());
      }
      return null;
    }

    @Override
    public boolean tellsEnds() {
      return false;
    }
  }

  /** Elements with their segments, and the ends of these. */
  private final class Signals implements ScanFeed.Form<T, SegmentSignal<T>> {
    @Override
    public SegmentSignal<T> element(int segment, T element) {
      return new SegmentSignal.Element<>(segment, element);
    }

    @Override
    public SegmentSignal<T> ended(Pulling.Ended end) {
      if (!end.complete()) {
        return new SegmentSignal.Lost<>(end.segment());
      }
      completed(end.segment());
      return new SegmentSignal.Completed<>(end.segment());
    }

    @Override
    public boolean tellsEnds() {
      return true;
    }
  }
}
