package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import java.io.Serializable;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cache entry as it was when a stream or an iterator reached it. Entries inside results travel in
 * this form.
 *
 * <p><b>Threading:</b> immutable; the objects in it are shared and must not be changed.
 *
 * @param key the key
 * @param value the value
 */
public record StreamEntry<K, V>(K key, V value) implements Map.Entry<K, V> {

  /** The same as {@link #key()}. */
  @Override
  public K getKey() {
    return key;
  }

  /** The same as {@link #value()}. */
  @Override
  public V getValue() {
    return value;
  }

  /**
   * Always refused, because an entry of a stream is not connected to the cache.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public V setValue(V newValue) {
    throw new UnsupportedOperationException(
        "an entry of a stream cannot be set; put the key into the cache instead");
  }

  /** Follows {@link Map.Entry#equals}, whatever the class of the other entry is. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Map.Entry<?, ?> entry
        && key.equals(entry.getKey())
        && value.equals(entry.getValue());
  }

  /** Follows {@link Map.Entry#hashCode}. */
  @Override
  public int hashCode() {
    return Objects.hashCode(key) ^ Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return key + "=" + value;
  }

  /**
   * An entry as an owner passes it to the stages of a stream. Key and value are decoded only when
   * they are used, because many streams use only one of them. It travels as a {@link StreamEntry}.
   *
   * <p><b>Threading:</b> any thread.
   */
  static final class LazyEntry implements Map.Entry<Object, Object>, Serializable {
    private static final long serialVersionUID = 1;

    private final transient DecodedObjectCache objectCache;
    private final transient Entry entry;

    LazyEntry(DecodedObjectCache objectCache, Entry entry) {
      this.objectCache = objectCache;
      this.entry = entry;
    }

    /** The stored entry. */
    Entry entry() {
      return entry;
    }

    @Override
    public Object getKey() {
      return objectCache.keyOf(entry);
    }

    @Override
    public Object getValue() {
      return objectCache.valueOf(entry);
    }

    @Override
    public Object setValue(Object newValue) {
      throw new UnsupportedOperationException(
          "an entry of a stream cannot be set; put the key into the cache instead");
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Map.Entry<?, ?> that
          && getKey().equals(that.getKey())
          && getValue().equals(that.getValue());
    }

    @Override
    public int hashCode() {
      return getKey().hashCode() ^ getValue().hashCode();
    }

    @Override
    public String toString() {
      return getKey() + "=" + getValue();
    }

    /** Called by the codec when a view is somewhere inside a result. */
    private Object writeReplace() {
      return new StreamEntry<>(getKey(), getValue());
    }
  }

  /**
   * An entry as an iterator of a cache delivers it: setting its value puts it into the cache. It
   * travels as a {@link StreamEntry}, whose value cannot be set.
   *
   * <p><b>Threading:</b> one thread.
   */
  static final class WriteThroughEntry<K, V> extends AbstractMap.SimpleEntry<K, V> {
    private static final long serialVersionUID = 1;

    private final transient Cache<K, V> cache;

    WriteThroughEntry(Cache<K, V> cache, K key, V value) {
      super(key, value);
      this.cache = cache;
    }

    /** Puts the value into the cache, whatever value the key has by now. */
    @Override
    public V setValue(V newValue) {
      cache.put(getKey(), newValue);
      return super.setValue(newValue);
    }

    private Object writeReplace() {
      return new StreamEntry<>(getKey(), getValue());
    }
  }
}
