package io.cantle.core.publish;

import io.cantle.core.base.Input;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A scan as a feed.
 *
 * <p><b>Threading:</b> one thread at a time; {@link #stop} by any.
 *
 * @param <T> the elements
 * @param <S> what is made of them and of the ends of segments
 */
final class ScanFeed<T, S> implements Feed<S> {

  /** What is told of a scan. */
  interface Form<T, S> {
    /** Makes something of an element. */
    S element(int segment, T element);

    /** Makes something of the end of a segment, or null. */
    @Nullable S ended(Pulling.Ended end);

    /** Whether it makes something of ends. */
    boolean tellsEnds();
  }

  private final Pulling pulling;
  private final Function<Input, T> read;
  private final Form<T, S> form;
  private Pulling.@Nullable Block block;
  private volatile boolean stopped;
  private Pulling.@Nullable Rest rest;

  ScanFeed(
      Access access,
      Pulling.Wish wish,
      Pulling.Rest begin,
      Function<Input, T> read,
      Form<T, S> form) {
    this.pulling = new Pulling(access, wish, begin, form.tellsEnds(), this);
    this.read = read;
    this.form = form;
  }

  @Override
  public @Nullable S next() {
    while (!stopped) {
      Pulling.Block here = block;
      if (here != null && here.left() > 0) {
        T element = pulling.read(here, read);
        if (element == null) {
          throw new NullPointerException("an element is null, and null cannot be published");
        }
        return form.element(here.segment(), element);
      }
      switch (pulling.next(() -> stopped)) {
        case null -> {
          return null;
        }
        case Pulling.Block next -> block = next;
        case Pulling.Ended end -> {
          S told = form.ended(end);
          if (told != null) {
            return told;
          }
        }
      }
    }
    return null;
  }

  @Override
  public boolean over() {
    Pulling.Block here = block;
    if (stopped || (here != null && here.left() > 0)) {
      return false;
    }
    if (!form.tellsEnds()) {
      for (Pulling.Ended end; (end = pulling.takeEnd()) != null; ) {
        form.ended(end);
      }
    }
    return pulling.over();
  }

  @Override
  public void stop() {
    stopped = true;
    pulling.wake();
  }

  @Override
  public void close() {
    if (rest == null) {
      rest = pulling.stop();
    }
  }

  /** What was not given to anybody, once it is closed. */
  Pulling.Rest rest() {
    Pulling.Rest left = rest;
    if (left == null) {
      throw new IllegalStateException("a feed is closed before its rest is asked for");
    }
    return left;
  }
}
