package io.cantle.core.node;

import io.cantle.CacheSet;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.core.stream.CacheStreamSource;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a cache as a set.
 *
 * <p><b>Threading:</b> any thread.
 */
final class EntrySetView<K, V> extends AbstractSet<Map.Entry<K, V>>
    implements CacheSet<Map.Entry<K, V>> {
  private final CacheView<K, V> cache;

  EntrySetView(CacheView<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public CacheStream<Map.Entry<K, V>> stream() {
    return cache.streams().entryStream();
  }

  @Override
  public CloseableIterator<Map.Entry<K, V>> iterator() {
    return removing(cache.streams());
  }

  /** An iterator that delivers each entry once, whatever the default of iterations is. */
  CloseableIterator<Map.Entry<K, V>> exactIterator() {
    return removing(cache.exactStreams());
  }

  private CloseableIterator<Map.Entry<K, V>> removing(CacheStreamSource<K, V> streams) {
    return new RemovingIterator<>(
        streams.entryIterator(), entry -> entry, entry -> cache.remove(entry.getKey()));
  }

  @Override
  public int size() {
    return cache.size();
  }

  @Override
  public boolean contains(@Nullable Object entry) {
    return entry instanceof Map.Entry<?, ?> wanted
        && wanted.getKey() != null
        && wanted.getValue() != null
        && wanted.getValue().equals(cache.get(wanted.getKey()));
  }

  @Override
  public boolean remove(@Nullable Object entry) {
    return entry instanceof Map.Entry<?, ?> wanted
        && wanted.getKey() != null
        && cache.remove(wanted.getKey(), wanted.getValue());
  }

  /**
   * {@inheritDoc} An entry whose value has changed meanwhile stays: the filter has not seen that
   * value.
   */
  @Override
  public boolean removeIf(Predicate<? super Map.Entry<K, V>> filter) {
    Objects.requireNonNull(filter, "filter");
    boolean removed = false;
    try (CloseableIterator<Map.Entry<K, V>> entries = exactIterator()) {
      while (entries.hasNext()) {
        Map.Entry<K, V> entry = entries.next();
        // Read before the filter is called, since the filter may set another value.
        V value = entry.getValue();
        if (filter.test(entry)) {
          removed |= cache.remove(entry.getKey(), value);
        }
      }
    }
    return removed;
  }

  /** {@inheritDoc} An entry is removed only if it has the given value at that moment. */
  @Override
  public boolean removeAll(Collection<?> named) {
    boolean removed = false;
    for (Object entry : named) {
      removed |= remove(entry);
    }
    return removed;
  }

  @Override
  public boolean retainAll(Collection<?> kept) {
    Objects.requireNonNull(kept, "kept");
    return removeIf(entry -> !kept.contains(entry));
  }

  @Override
  public int hashCode() {
    int hash = 0;
    try (CloseableIterator<Map.Entry<K, V>> entries = exactIterator()) {
      while (entries.hasNext()) {
        hash += entries.next().hashCode();
      }
    }
    return hash;
  }

  @Override
  public void clear() {
    cache.clear();
  }
}
