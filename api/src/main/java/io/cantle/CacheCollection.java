package io.cantle;

import java.util.Collection;

/**
 * A collection view of a cache that is streamed where the entries are.
 *
 * <p><b>Threading:</b> any thread; an iterator or stream belongs to the thread that made it.
 */
public interface CacheCollection<E> extends Collection<E> {

  /** A stream that runs on the owners of the entries. */
  @Override
  CacheStream<E> stream();

  /** {@link #stream()}, on several threads of each owner; owners work side by side anyway. */
  @Override
  CacheStream<E> parallelStream();

  /** Delivers each entry present throughout exactly once, through join, leave and crash. */
  @Override
  CloseableIterator<E> iterator();
}
