package io.cantle;

import java.util.Set;
import java.util.Spliterator;

/**
 * A set view of a cache whose streams run on the nodes that own the entries.
 *
 * <p><b>Threading:</b> any thread; an iterator or stream belongs to the thread that made it.
 */
public interface CacheSet<E> extends CacheCollection<E>, Set<E> {
  @Override
  Spliterator<E> spliterator();
}
