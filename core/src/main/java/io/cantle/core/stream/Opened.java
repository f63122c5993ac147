package io.cantle.core.stream;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the running of a stream has opened and must close: iterators over the cluster and files.
 *
 * <p><b>Threading:</b> one thread; any, if it remembers weakly.
 */
final class Opened implements AutoCloseable {
  private final Collection<AutoCloseable> opened;

  /** Remembers what is opened. */
  Opened() {
    this(new ArrayList<>());
  }

  private Opened(Collection<AutoCloseable> opened) {
    this.opened = opened;
  }

  /** Remembers what is opened as long as it is used. */
  static Opened weakly() {
    return new Opened(Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())));
  }

  /** Remembers what is to be closed, if it can be. */
  <C> C add(C one) {
    if (one instanceof AutoCloseable closeable) {
      opened.add(closeable);
    }
    return one;
  }

  /** Closes all, the last first, even if some fail. */
  @Override
  public void close() {
    List<AutoCloseable> all = new ArrayList<>(opened);
    opened.clear();
    RuntimeException failure = null;
    for (AutoCloseable one : all.reversed()) {
      failure = close(one, failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable RuntimeException close(
      AutoCloseable one, @Nullable RuntimeException before) {
    RuntimeException failure;
    try {
      one.close();
      return before;
    } catch (RuntimeException e) {
      failure = e;
    } catch (Exception e) {
      failure = new IllegalStateException("what a stream had opened cannot be closed", e);
    }
    if (before == null) {
      return failure;
    }
    before.addSuppressed(failure);
    return before;
  }
}
