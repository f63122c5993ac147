package io.cantle.core.publish;

import io.cantle.CachePublisher;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Some segments of a scan, for one subscriber once, and what it leaves for the next.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock, which is never held while anything waits.
 */
final class ScanPart<T> implements CachePublisher.Part<T> {
  private final World world;
  private final Access access;
  private final Pulling.Wish wish;
  private final Function<Input, T> read;
  private final ScanFeed.Form<T, T> form;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Integer> unfinished = new ConcurrentSkipListSet<>();

  /** What is published: its elements are used up, and it is forgotten when the scan begins. */
  private Pulling.@Nullable Rest begin;

  private @Nullable Subscription<T> subscription;
  private @Nullable ScanFeed<T, T> feed;
  private @Nullable ScanPart<T> next;

  ScanPart(
      World world,
      Access access,
      Pulling.Wish wish,
      Function<Input, T> read,
      ScanFeed.Form<T, T> form,
      Pulling.Rest begin) {
    this.world = world;
    this.access = access;
    this.wish = wish;
    this.read = read;
    this.form = form;
    this.begin = begin;
    unfinished.addAll(begin.cursors().keySet());
    begin.events().forEach(event -> unfinished.add(event.segment()));
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    Subscription<T> first = first(subscriber);
    if (first == null) {
      Subscription.refuse(
          world.threads(),
          subscriber,
          new IllegalStateException(
              "a part is published once; when that has ended, subscribe to its rest"));
    } else {
      first.begin();
    }
  }

  private @Nullable Subscription<T> first(Flow.Subscriber<? super T> subscriber) {
    lock.lock();
    try {
      if (subscription != null) {
        return null;
      }
      Subscription<T> first = new Subscription<>(world.threads(), this::open, subscriber);
      subscription = first;
      return first;
    } finally {
      lock.unlock();
    }
  }

  private ScanFeed<T, T> open() {
    lock.lock();
    try {
      Pulling.Rest all = Objects.requireNonNull(begin, "a part is opened once");
      ScanFeed<T, T> opened = new ScanFeed<>(access, wish, all, read, new Noting());
      begin = null;
      feed = opened;
      return opened;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CachePublisher.Part<T> rest() {
    Subscription<T> ending = ending();
    ending.awaitEnd(access.clock(), access.timeoutNanos());
    lock.lock();
    try {
      ScanPart<T> known = next;
      if (known == null) {
        Pulling.Rest left = begin;
        ScanFeed<T, T> opened = feed;
        if (left == null) {
          left = Objects.requireNonNull(opened).rest();
        }
        known = new ScanPart<>(world, access, wish, read, form, left);
        next = known;
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private Subscription<T> ending() {
    lock.lock();
    try {
      Subscription<T> known = subscription;
      if (known == null || !known.ending()) {
        throw new IllegalStateException(
            "a part has a rest when its subscription has ended: cancel it, or wait for its end");
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Set<Integer> unfinished() {
    return new TreeSet<>(unfinished);
  }

  /** Notes which segments are done. */
  private final class Noting implements ScanFeed.Form<T, T> {
    @Override
    public T element(int segment, T element) {
      return form.element(segment, element);
    }

    @Override
    public @Nullable T ended(Pulling.Ended end) {
      if (end.complete()) {
        unfinished.remove(end.segment());
      }
      return form.ended(end);
    }

    @Override
    public boolean tellsEnds() {
      return false;
    }
  }
}
