package io.cantle;

import java.util.Iterator;

/**
 * An iterator that can be given up before its end. Nothing is kept for it on other nodes, so one
 * that is forgotten costs only what it holds here.
 *
 * <p><b>Threading:</b> one thread, the one that made it.
 */
public interface CloseableIterator<E> extends Iterator<E>, AutoCloseable {

  /** Stops asking for more; later calls of {@link #hasNext} are false. */
  @Override
  void close();
}
