package io.cantle;

import java.util.Collection;

/**
 * A collection view of a cache whose streams run on the nodes that own the entries.
 *
 * <p><b>Threading:</b> any thread; an iterator or stream belongs to the thread that made it.
 */
public interface CacheCollection<E> extends Collection<E> {

  /** Returns a stream that runs on the owners of the entries. */
  @Override
  CacheStream<E> stream();

  /**
   * Returns a {@link #stream()} that uses several threads on each owner. Owners work side by side
   * anyway.
   */
  @Override
  default CacheStream<E> parallelStream() {
    return stream().parallel();
  }

  /**
   * Returns an iterator that delivers each entry present throughout exactly once, whatever nodes
   * join, leave or crash.
   */
  @Override
  CloseableIterator<E> iterator();
}
