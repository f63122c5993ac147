package io.cantle.core.stream;

import java.util.ArrayList;
import java.util.List;

/**
 * What the running of a stream has opened and must close: iterators over the cluster and files.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Opened implements AutoCloseable {
  private final List<AutoCloseable> opened = new ArrayList<>();

  /** Remembers what is to be closed, if it can be. */
  <C> C add(C one) {
    if (one instanceof AutoCloseable closeable) {
      opened.add(closeable);
    }
    return one;
  }

  @Override
  public void close() {
    for (AutoCloseable one : opened.reversed()) {
      try {
        one.close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("what a stream had opened cannot be closed", e);
      }
    }
    opened.clear();
  }
}
