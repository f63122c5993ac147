package io.cantle.core.node;

import io.cantle.Cache;
import io.cantle.CacheCollection;
import io.cantle.CacheConfig;
import io.cantle.CacheSet;
import io.cantle.CloseableIterator;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Slice;
import io.cantle.core.codec.Codec;
import io.cantle.core.operate.BulkWrites.KeyWrite;
import io.cantle.core.operate.Found;
import io.cantle.core.operate.Put;
import io.cantle.core.operate.PutIfAbsent;
import io.cantle.core.operate.Remove;
import io.cantle.core.operate.Replace;
import io.cantle.core.publish.Scans;
import io.cantle.core.replica.Result;
import io.cantle.core.stream.Streams;
import io.cantle.core.topology.CacheDefinition;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cache as its user holds it: objects outside, bytes inside. Whatever depends on a user's
 * function or on {@code equals} is a read and a {@link io.cantle.core.operate.Swap}, tried until
 * nobody came between.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheView<K, V> implements Cache<K, V> {
  private final CacheDefinition definition;
  private final Entries entries;
  private final Scans scans;
  private final Codec codec;
  private final AsyncCalls asyncCalls;
  private final Streams<K, V> streams;
  private volatile boolean closed;

  CacheView(
      CacheDefinition definition,
      Entries entries,
      Scans scans,
      Codec codec,
      AsyncCalls asyncCalls) {
    this.definition = definition;
    this.entries = entries;
    this.scans = scans;
    this.codec = codec;
    this.asyncCalls = asyncCalls;
    this.streams = new Streams<>(scans, codec);
  }

  @Override
  public String name() {
    return definition.name();
  }

  @Override
  public CacheConfig config() {
    return definition.config();
  }

  // ------------------------------------------------------------------ one key

  @Override
  public @Nullable V get(Object key) {
    return value(entries.read(key(key), entries.deadline()).value());
  }

  @Override
  public V getOrDefault(Object key, V defaultValue) {
    V value = get(key);
    return value == null ? defaultValue : value;
  }

  @Override
  public boolean containsKey(Object key) {
    return entries.contains(key(key));
  }

  @Override
  public @Nullable V put(K key, V value) {
    return value(entries.write(key(key), new Put(Slice.of(encoded(value)), false)));
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return value(entries.write(key(key), new PutIfAbsent(Slice.of(encoded(value)))));
  }

  @Override
  public @Nullable V remove(Object key) {
    return value(entries.write(key(key), new Remove(false)));
  }

  @Override
  public @Nullable V replace(K key, V value) {
    return value(entries.write(key(key), new Replace(Slice.of(encoded(value)))));
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    return value != null && swapIf(key(key), value::equals, null);
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    Objects.requireNonNull(expected, "expected");
    byte[] bytes = encoded(value);
    return swapIf(key(key), expected::equals, bytes);
  }

  private boolean swapIf(byte[] key, Predicate<Object> wanted, byte @Nullable [] value) {
    long deadline = entries.deadline();
    do {
      Found found = entries.read(key, deadline);
      V present = value(found.value());
      if (present == null || !wanted.test(present)) {
        return false;
      }
      if (entries.swap(key, found, value, deadline)) {
        return true;
      }
    } while (!entries.passed(deadline));
    throw contended();
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    byte[] bytes = key(key);
    long deadline = entries.deadline();
    do {
      Found found = entries.read(bytes, deadline);
      V present = value(found.value());
      V computed = function.apply(key, present);
      if (computed == null && present == null) {
        return null;
      }
      byte[] value = computed == null ? null : encoded(computed);
      if (entries.swap(bytes, found, value, deadline)) {
        return computed;
      }
    } while (!entries.passed(deadline));
    throw contended();
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    byte[] bytes = key(key);
    long deadline = entries.deadline();
    V present = value(entries.read(bytes, deadline).value());
    if (present != null) {
      return present;
    }
    V computed = function.apply(key);
    if (computed == null) {
      return null;
    }
    PutIfAbsent operation = new PutIfAbsent(Slice.of(encoded(computed)));
    V earlier = value(entries.write(bytes, operation, deadline));
    return earlier == null ? computed : earlier;
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return compute(key, (k, present) -> present == null ? null : function.apply(k, present));
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(function, "function");
    return compute(key, (k, present) -> present == null ? value : function.apply(present, value));
  }

  @Override
  public List<String> owners(K key) {
    return entries.owners(key(key));
  }

  private TimeoutException contended() {
    return new TimeoutException(
        "others changed the entry between reading and writing it until time was up; it was not"
            + " written, trying again is safe");
  }

  // ------------------------------------------------------------------ all keys

  @Override
  public long mappingCount() {
    checkOpen();
    return scans.count();
  }

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, mappingCount());
  }

  @Override
  public boolean isEmpty() {
    return mappingCount() == 0;
  }

  @Override
  public boolean containsValue(Object value) {
    Objects.requireNonNull(value, "value");
    try (CloseableIterator<V> values = valueIterator()) {
      while (values.hasNext()) {
        if (value.equals(values.next())) {
          return true;
        }
      }
      return false;
    }
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> map) {
    checkOpen();
    Iterator<? extends Map.Entry<? extends K, ? extends V>> each = map.entrySet().iterator();
    entries.write(
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return each.hasNext();
          }

          @Override
          public KeyWrite next() {
            Map.Entry<? extends K, ? extends V> entry = each.next();
            byte[] key = key(entry.getKey());
            Slice value = Slice.of(encoded(entry.getValue()));
            return new KeyWrite(key, new Put(value, true), key.length + value.length() + 32);
          }
        });
  }

  @Override
  public void clear() {
    checkOpen();
    try (CloseableIterator<byte[]> keys = scans.iterate(Scans.Part.KEY, null, Input::readBlob)) {
      entries.write(
          new Iterator<>() {
            @Override
            public boolean hasNext() {
              return keys.hasNext();
            }

            @Override
            public KeyWrite next() {
              byte[] key = keys.next();
              return new KeyWrite(key, new Remove(true), key.length + 32);
            }
          });
    }
  }

  @Override
  public CacheSet<K> keySet() {
    return new KeyView<>(this);
  }

  @Override
  public CacheCollection<V> values() {
    return new ValueView<>(this);
  }

  @Override
  public CacheSet<Map.Entry<K, V>> entrySet() {
    return new EntryView<>(this);
  }

  Streams<K, V> streams() {
    checkOpen();
    return streams;
  }

  CloseableIterator<V> valueIterator() {
    return streams().valueIterator();
  }

  // ------------------------------------------------------------------ asynchronous twins

  @Override
  public CompletionStage<@Nullable V> getAsync(K key) {
    return asyncCalls.run(() -> get(key));
  }

  @Override
  public CompletionStage<Boolean> containsKeyAsync(K key) {
    return asyncCalls.run(() -> containsKey(key));
  }

  @Override
  public CompletionStage<@Nullable V> putAsync(K key, V value) {
    return asyncCalls.run(() -> put(key, value));
  }

  @Override
  public CompletionStage<@Nullable V> putIfAbsentAsync(K key, V value) {
    return asyncCalls.run(() -> putIfAbsent(key, value));
  }

  @Override
  public CompletionStage<@Nullable V> removeAsync(K key) {
    return asyncCalls.run(() -> remove(key));
  }

  @Override
  public CompletionStage<Boolean> removeAsync(K key, V value) {
    return asyncCalls.run(() -> remove(key, value));
  }

  @Override
  public CompletionStage<@Nullable V> replaceAsync(K key, V value) {
    return asyncCalls.run(() -> replace(key, value));
  }

  @Override
  public CompletionStage<Boolean> replaceAsync(K key, V expected, V value) {
    return asyncCalls.run(() -> replace(key, expected, value));
  }

  @Override
  public CompletionStage<@Nullable V> computeAsync(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> compute(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> computeIfAbsent(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> computeIfPresent(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> mergeAsync(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> merge(key, value, function));
  }

  @Override
  public CompletionStage<@Nullable Void> putAllAsync(Map<? extends K, ? extends V> map) {
    return asyncCalls.run(
        () -> {
          putAll(map);
          return null;
        });
  }

  @Override
  public CompletionStage<@Nullable Void> clearAsync() {
    return asyncCalls.run(
        () -> {
          clear();
          return null;
        });
  }

  @Override
  public CompletionStage<Long> mappingCountAsync() {
    return asyncCalls.run(this::mappingCount);
  }

  // ------------------------------------------------------------------ itself

  @Override
  public void close() {
    closed = true;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "this view of cache \"" + name() + "\" is closed; open it again from the grid");
    }
    entries.checkUsable();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (other == this) {
      return true;
    }
    if (!(other instanceof Map<?, ?> map) || map.size() != mappingCount()) {
      return false;
    }
    try {
      return entrySet().containsAll(map.entrySet());
    } catch (IllegalArgumentException e) {
      // The other map has a key no cache can have.
      return false;
    }
  }

  @Override
  public int hashCode() {
    int hash = 0;
    try (var each = entrySet().iterator()) {
      while (each.hasNext()) {
        hash += each.next().hashCode();
      }
    }
    return hash;
  }

  @Override
  public String toString() {
    return "Cache[" + name() + ", " + config() + "]";
  }

  private byte[] key(@Nullable Object key) {
    if (closed) {
      checkOpen();
    }
    return Entries.checked(
        "key", codec.encodeKey(Objects.requireNonNull(key, "key")), Entries.MAX_KEY_BYTES);
  }

  private byte[] encoded(@Nullable Object value) {
    return Entries.checked(
        "value",
        codec.encodeValue(Objects.requireNonNull(value, "value")),
        Entries.MAX_VALUE_BYTES);
  }

  @SuppressWarnings("unchecked") // What is stored under K was put as V.
  private @Nullable V value(Result result) {
    return result.hasValue()
        ? (V) codec.decodeValue(result.bytes(), result.offset(), result.length())
        : null;
  }
}
