package io.cantle.core.node;

import io.cantle.CacheCollection;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import java.util.AbstractCollection;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import org.jspecify.annotations.Nullable;

/**
 * The values of a cache.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ValueView<K, V> extends AbstractCollection<V> implements CacheCollection<V> {
  private final CacheView<K, V> cache;

  ValueView(CacheView<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public CacheStream<V> stream() {
    return cache.streams().values();
  }

  @Override
  public CacheStream<V> parallelStream() {
    return stream().parallel();
  }

  @Override
  public CloseableIterator<V> iterator() {
    CloseableIterator<Map.Entry<K, V>> entries = cache.entrySet().iterator();
    return new CloseableIterator<>() {
      @Override
      public boolean hasNext() {
        return entries.hasNext();
      }

      @Override
      public V next() {
        return entries.next().getValue();
      }

      @Override
      public void remove() {
        entries.remove();
      }

      @Override
      public void close() {
        entries.close();
      }
    };
  }

  @Override
  public Spliterator<V> spliterator() {
    return Spliterators.spliteratorUnknownSize(cache.valueIterator(), Spliterator.NONNULL);
  }

  @Override
  public int size() {
    return cache.size();
  }

  @Override
  public boolean contains(@Nullable Object value) {
    return value != null && cache.containsValue(value);
  }

  @Override
  public void clear() {
    cache.clear();
  }
}
