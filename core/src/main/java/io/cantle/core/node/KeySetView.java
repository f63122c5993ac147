package io.cantle.core.node;

import io.cantle.CacheSet;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a cache as a set.
 *
 * <p><b>Threading:</b> any thread.
 */
final class KeySetView<K, V> extends AbstractSet<K> implements CacheSet<K> {
  private final CacheView<K, V> cache;

  KeySetView(CacheView<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public CacheStream<K> stream() {
    return cache.streams().keyStream();
  }

  @Override
  public CloseableIterator<K> iterator() {
    return new RemovingIterator<>(cache.streams().keyIterator(), key -> key, cache::remove);
  }

  @Override
  public int size() {
    return cache.size();
  }

  @Override
  public boolean contains(@Nullable Object key) {
    return key != null && cache.containsKey(key);
  }

  @Override
  public boolean remove(@Nullable Object key) {
    return key != null && cache.remove(key) != null;
  }

  /** {@inheritDoc} A key whose value changes meanwhile is removed all the same. */
  @Override
  public boolean removeIf(Predicate<? super K> filter) {
    Objects.requireNonNull(filter, "filter");
    boolean removed = false;
    try (CloseableIterator<K> keys = cache.exactStreams().keyIterator()) {
      while (keys.hasNext()) {
        K key = keys.next();
        removed |= filter.test(key) && remove(key);
      }
    }
    return removed;
  }

  @Override
  public boolean removeAll(Collection<?> named) {
    boolean removed = false;
    for (Object key : named) {
      removed |= remove(key);
    }
    return removed;
  }

  @Override
  public boolean retainAll(Collection<?> kept) {
    Objects.requireNonNull(kept, "kept");
    return removeIf(key -> !kept.contains(key));
  }

  @Override
  public void clear() {
    cache.clear();
  }
}
