package io.cantle;

import java.util.Iterator;

/**
 * An iterator that can be closed before its end. Other nodes keep nothing for it, so a forgotten
 * one costs only what it holds here.
 *
 * <p><b>Threading:</b> one thread, the one that made it.
 */
public interface CloseableIterator<E> extends Iterator<E>, AutoCloseable {

  /** Stops requesting elements. Later calls of {@link #hasNext} return false. */
  @Override
  void close();
}
