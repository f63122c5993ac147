package io.cantle.core.node;

import io.cantle.CacheCollection;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values of a cache as a collection.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ValueCollectionView<K, V> extends AbstractCollection<V> implements CacheCollection<V> {
  private final CacheView<K, V> cache;

  ValueCollectionView(CacheView<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public CacheStream<V> stream() {
    return cache.streams().valueStream();
  }

  @Override
  public CloseableIterator<V> iterator() {
    return new RemovingIterator<>(
        cache.streams().entryIterator(),
        Map.Entry::getValue,
        entry -> cache.remove(entry.getKey()));
  }

  @Override
  public Spliterator<V> spliterator() {
    return Spliterators.spliteratorUnknownSize(
        cache.streams().valueIterator(), Spliterator.NONNULL);
  }

  @Override
  public int size() {
    return cache.size();
  }

  @Override
  public boolean contains(@Nullable Object value) {
    if (value == null) {
      return false;
    }
    try (CloseableIterator<V> values = cache.exactStreams().valueIterator()) {
      while (values.hasNext()) {
        if (value.equals(values.next())) {
          return true;
        }
      }
    }
    return false;
  }

  /** {@inheritDoc} An entry whose value has changed meanwhile stays. */
  @Override
  public boolean removeIf(Predicate<? super V> filter) {
    Objects.requireNonNull(filter, "filter");
    return new EntrySetView<>(cache).removeIf(entry -> filter.test(entry.getValue()));
  }

  @Override
  public boolean removeAll(Collection<?> removed) {
    Objects.requireNonNull(removed, "removed");
    return removeIf(removed::contains);
  }

  @Override
  public boolean retainAll(Collection<?> kept) {
    Objects.requireNonNull(kept, "kept");
    return removeIf(value -> !kept.contains(value));
  }

  /** {@inheritDoc} An entry whose value has changed meanwhile stays. */
  @Override
  public boolean remove(@Nullable Object value) {
    if (value == null) {
      return false;
    }
    try (CloseableIterator<Map.Entry<K, V>> entries = new EntrySetView<>(cache).exactIterator()) {
      while (entries.hasNext()) {
        Map.Entry<K, V> entry = entries.next();
        if (value.equals(entry.getValue()) && cache.remove(entry.getKey(), value)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public void clear() {
    cache.clear();
  }
}
