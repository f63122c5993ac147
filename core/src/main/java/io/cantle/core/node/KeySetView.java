package io.cantle.core.node;

import io.cantle.CacheSet;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import java.util.AbstractSet;
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

  @Override
  public void clear() {
    cache.clear();
  }
}
