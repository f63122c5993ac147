package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import java.io.Serializable;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a cache as it was when a stream or an iterator came by. It is the form in which
 * entries travel inside results.
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
   * Refused: an entry of a stream is not connected to the cache.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public V setValue(V newValue) {
    throw new UnsupportedOperationException(
        "an entry of a stream cannot be set; put the key into the cache instead");
  }

  /** As {@link Map.Entry#equals} demands it, whatever the other entry's class is. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Map.Entry<?, ?> entry
        && key.equals(entry.getKey())
        && value.equals(entry.getValue());
  }

  /** As {@link Map.Entry#hashCode} demands it. */
  @Override
  public int hashCode() {
    return Objects.hashCode(key) ^ Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return key + "=" + value;
  }

  /**
   * An entry as an owner shows it to the stages of a stream: key and value are decoded when they
   * are asked for, since many streams look at one of them only. It travels as a {@link
   * StreamEntry}.
   *
   * <p><b>Threading:</b> any thread.
   */
  static final class View implements Map.Entry<Object, Object>, Serializable {
    private static final long serialVersionUID = 1;

    private final transient DecodedObjectCache objectCache;
    private final transient Entry entry;

    View(DecodedObjectCache objectCache, Entry entry) {
      this.objectCache = objectCache;
      this.entry = entry;
    }

    /** The stored bytes behind. */
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

    /** The codec asks for this when a view hides somewhere inside a result. */
    private Object writeReplace() {
      return new StreamEntry<>(getKey(), getValue());
    }
  }

  /**
   * An entry as an iterator of a cache delivered it, which can be set there. It travels as a {@link
   * StreamEntry}, which cannot.
   *
   * <p><b>Threading:</b> one thread.
   */
  static final class Connected<K, V> implements Map.Entry<K, V>, Serializable {
    private static final long serialVersionUID = 1;

    private final transient K key;
    private transient V value;

    private final transient Cache<K, V> cache;

    Connected(Cache<K, V> cache, K key, V value) {
      this.cache = cache;
      this.key = key;
      this.value = value;
    }

    @Override
    public K getKey() {
      return key;
    }

    @Override
    public V getValue() {
      return value;
    }

    /** Puts the value into the cache, whatever is there by now. */
    @Override
    public V setValue(V newValue) {
      cache.put(key, newValue);
      V previous = value;
      value = newValue;
      return previous;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Map.Entry<?, ?> that
          && key.equals(that.getKey())
          && value.equals(that.getValue());
    }

    @Override
    public int hashCode() {
      return key.hashCode() ^ value.hashCode();
    }

    @Override
    public String toString() {
      return key + "=" + value;
    }

    private Object writeReplace() {
      return new StreamEntry<>(key, value);
    }
  }
}
