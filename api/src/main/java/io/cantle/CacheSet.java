package io.cantle;

import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;

/**
 * A set view of a cache whose streams run on the nodes that own the entries.
 *
 * <p><b>Threading:</b> any thread; an iterator or stream belongs to the thread that made it.
 */
public interface CacheSet<E> extends CacheCollection<E>, Set<E> {
  @Override
  default Spliterator<E> spliterator() {
    return Spliterators.spliteratorUnknownSize(
        iterator(), Spliterator.DISTINCT | Spliterator.NONNULL);
  }
}
