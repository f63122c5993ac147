package io.cantle.core.node;

import io.cantle.Cache;
import io.cantle.CacheCollection;
import io.cantle.CacheConfig;
import io.cantle.CacheSet;
import io.cantle.CloseableIterator;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operate.Apply;
import io.cantle.core.operate.BulkWrites.KeyWrite;
import io.cantle.core.operate.Operation;
import io.cantle.core.operate.Put;
import io.cantle.core.operate.PutIfAbsent;
import io.cantle.core.operate.Remove;
import io.cantle.core.operate.Replace;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans;
import io.cantle.core.replica.Result;
import io.cantle.core.stream.Streams;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableFunction;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache as its user holds it: objects outside, bytes inside. Calls on one key become operations
 * at its primary; those on all keys are scans and many writes at once; what depends on a user's
 * function or on {@code equals} is {@link Computing}'s. Each asynchronous twin is the call itself
 * on a virtual thread. The class is as long as {@link Cache} is, and does nothing but translate.
 *
 * <p>Whatever a caller gets was decoded for it or is immutable; whatever it gives is encoded before
 * the call goes anywhere, so that a mistake in it is the caller's alone and nothing was sent yet.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheView<K, V> implements Cache<K, V> {
  private final CacheDefinition definition;
  private final Entries entries;
  private final Scans scans;
  private final Codec codec;
  private final AsyncCalls asyncCalls;
  private final Computing<K, V> computing;
  private final Streams<K, V> streams;
  private final World world;
  private volatile boolean closed;

  CacheView(
      CacheDefinition definition,
      Entries entries,
      Scans scans,
      Codec codec,
      AsyncCalls asyncCalls,
      World world) {
    this.definition = definition;
    this.entries = entries;
    this.scans = scans;
    this.codec = codec;
    this.asyncCalls = asyncCalls;
    this.computing = new Computing<>(entries, codec, asyncCalls);
    this.streams = new Streams<>(scans, codec, this, world);
    this.world = world;
  }

  @Override
  public String name() {
    return definition.name();
  }

  @Override
  public CacheConfig config() {
    return definition.config();
  }

  @Override
  public Cache<K, V> lifespan(Duration lifespan) {
    CacheConfig checked = config().lifespan(lifespan);
    return lasting(
        new Lifetime(CacheDefinition.millis(checked.lifespan()), entries.lifetime().idleMillis()));
  }

  @Override
  public Cache<K, V> maxIdle(Duration maxIdle) {
    CacheConfig checked = config().maxIdle(maxIdle);
    return lasting(
        new Lifetime(
            entries.lifetime().lifespanMillis(), CacheDefinition.millis(checked.maxIdle())));
  }

  private Cache<K, V> lasting(Lifetime lifetime) {
    checkOpen();
    return new CacheView<>(definition, entries.lasting(lifetime), scans, codec, asyncCalls, world);
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
    return value != null && computing.swapIf(key(key), value, null);
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    Objects.requireNonNull(expected, "expected");
    byte[] bytes = encoded(value);
    return computing.swapIf(key(key), expected, bytes);
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return computing.computeHere(key, key(key), function);
  }

  @Override
  public @Nullable V compute(
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    byte[] bytes = key(key);
    Slice sent = computing.sendable(function);
    return sent == null
        ? computing.computeHere(key, bytes, function)
        : computing.apply(Apply.Kind.COMPUTE, bytes, sent, null);
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return computing.computeHereIfAbsent(key, key(key), function);
  }

  @Override
  public @Nullable V computeIfAbsent(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function) {
    byte[] bytes = key(key);
    Slice sent = computing.sendable(function);
    return sent == null
        ? computing.computeHereIfAbsent(key, bytes, function)
        : computing.applyIfAbsent(bytes, sent);
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return computing.computeHere(
        key, key(key), (k, present) -> present == null ? null : function.apply(k, present));
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    byte[] bytes = key(key);
    Slice sent = computing.sendable(function);
    return sent == null
        ? computing.computeHere(
            key, bytes, (k, present) -> present == null ? null : function.apply(k, present))
        : computing.apply(Apply.Kind.COMPUTE_IF_PRESENT, bytes, sent, null);
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(function, "function");
    return computing.computeHere(
        key, key(key), (k, present) -> present == null ? value : function.apply(present, value));
  }

  @Override
  public @Nullable V merge(
      K key,
      V value,
      SerializableBiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    byte[] bytes = key(key);
    byte[] argument = encoded(value);
    Slice sent = computing.sendable(function);
    return sent == null
        ? computing.computeHere(
            key, bytes, (k, present) -> present == null ? value : function.apply(present, value))
        : computing.apply(Apply.Kind.MERGE, bytes, sent, argument);
  }

  @Override
  public void replaceAll(SerializableBiFunction<? super K, ? super V, ? extends V> function) {
    checkOpen();
    Slice sent = computing.sendable(function);
    if (sent == null) {
      computing.replaceAllHere(this, function);
      return;
    }
    try (CloseableIterator<byte[]> keys =
        scans.iterate(Scans.Part.KEY, null, ScanOptions.ALL, Input::readBlob)) {
      computing.replaceAll(keys, sent);
    }
  }

  @Override
  public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    checkOpen();
    computing.replaceAllHere(this, function);
  }

  @Override
  public ScanPage<K, V> scan(ScanCursor cursor, int limit) {
    checkOpen();
    return streams.page(cursor, limit);
  }

  @Override
  public List<String> owners(K key) {
    return entries.owners(key(key));
  }

  // ------------------------------------------------------------------ all keys

  @Override
  public long mappingCount() {
    checkOpen();
    return scans.count(ScanOptions.ALL);
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
            Operation put = entries.limited(new Put(value, true));
            return new KeyWrite(key, put, key.length + value.length() + 48);
          }
        },
        computing::key);
  }

  @Override
  public void clear() {
    checkOpen();
    try (CloseableIterator<byte[]> keys =
        scans.iterate(Scans.Part.KEY, null, ScanOptions.ALL, Input::readBlob)) {
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
          },
          computing::key);
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
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> compute(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> computeIfAbsentAsync(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> computeIfAbsent(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> computeIfPresentAsync(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> computeIfPresent(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> mergeAsync(
      K key,
      V value,
      SerializableBiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return asyncCalls.run(() -> merge(key, value, function));
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
    return computing.encoded(value);
  }

  private @Nullable V value(Result result) {
    return computing.value(result);
  }
}
