package io.cantle.core.node;

import io.cantle.Cache;
import io.cantle.CacheCollection;
import io.cantle.CacheConfig;
import io.cantle.CacheSet;
import io.cantle.CacheStatistics;
import io.cantle.CloseableIterator;
import io.cantle.ScanCursor;
import io.cantle.ScanDefaults;
import io.cantle.ScanPage;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.BulkWriteClient.KeyWrite;
import io.cantle.core.operation.Operation;
import io.cantle.core.operation.Operation.ApplyFunction;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.operation.Operation.Replace;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.publish.CacheScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.stream.CacheStreamSource;
import io.cantle.core.wire.PullRequest;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableFunction;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache as seen by its user: objects outside, bytes inside. Calls on one key become operations at
 * its primary. Calls on all keys are scans and bulk writes. {@link ComputeMethods} implements what
 * depends on a user's function or on {@code equals}. Each asynchronous variant is the call itself
 * on a virtual thread. The class is as long as {@link Cache}, and does nothing but translate.
 *
 * <p>Every result was decoded for its caller or is immutable. Every argument is encoded before
 * anything is sent, so a mistake in it affects its caller only.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheView<K, V> implements Cache<K, V> {
  private static final PullClient.ScanSpec ALL_KEYS =
      new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, ScanOptions.ALL);

  private final CacheDefinition definition;
  private final ScanDefaults scanDefaults;
  private final ByteCache byteCache;
  private final CacheScanner scanner;
  private final Codec codec;
  private final AsyncCallExecutor asyncCalls;
  private final ComputeMethods<K, V> computeMethods;
  private final CacheStreamSource<K, V> cacheStreamSource;
  private final SubscriptionExecutor executor;
  private volatile boolean closed;

  CacheView(
      CacheDefinition definition,
      ScanDefaults scanDefaults,
      ByteCache byteCache,
      CacheScanner scanner,
      Codec codec,
      AsyncCallExecutor asyncCalls,
      SubscriptionExecutor executor,
      ComputeMethods<K, V> computeMethods) {
    this.definition = definition;
    this.scanDefaults = scanDefaults;
    this.byteCache = byteCache;
    this.scanner = scanner;
    this.codec = codec;
    this.asyncCalls = asyncCalls;
    this.computeMethods = computeMethods;
    this.cacheStreamSource =
        new CacheStreamSource<>(scanner, codec, this, executor, ScanOptions.of(scanDefaults));
    this.executor = executor;
  }

  @Override
  public String name() {
    return definition.name();
  }

  @Override
  public CacheConfig config() {
    return definition.config().scanDefaults(scanDefaults);
  }

  @Override
  public Cache<K, V> lifespan(Duration lifespan) {
    CacheConfig checked = config().lifespan(lifespan);
    return withLifetime(
        new Lifetime(
            CacheDefinition.toMillis(checked.lifespan()), byteCache.lifetime().idleMillis()));
  }

  @Override
  public Cache<K, V> maxIdle(Duration maxIdle) {
    CacheConfig checked = config().maxIdle(maxIdle);
    return withLifetime(
        new Lifetime(
            byteCache.lifetime().lifespanMillis(), CacheDefinition.toMillis(checked.maxIdle())));
  }

  private Cache<K, V> withLifetime(Lifetime lifetime) {
    checkOpen();
    ByteCache limited = byteCache.withLifetime(lifetime);
    return new CacheView<>(
        definition,
        scanDefaults,
        limited,
        scanner,
        codec,
        asyncCalls,
        executor,
        computeMethods.over(limited));
  }

  // ------------------------------------------------------------------ one key

  @Override
  public @Nullable V get(Object key) {
    V known = closed ? null : computeMethods.getByObject(key);
    return known == null ? computeMethods.get(key, encodeQuery(key)) : known;
  }

  @Override
  public boolean containsKey(Object key) {
    return byteCache.contains(encodeQuery(key), computeMethods.shareable(key));
  }

  @Override
  public @Nullable V put(K key, V value) {
    checkViewOpen();
    return computeMethods.put(key, value);
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    // A value that is returned was there before, and nothing was written.
    checkViewOpen();
    return computeMethods.decodeRead(computeMethods.write(key, value, PutIfAbsent::new));
  }

  @Override
  public @Nullable V remove(Object key) {
    return computeMethods.remove(key, encodeQuery(key));
  }

  @Override
  public @Nullable V replace(K key, V value) {
    checkViewOpen();
    return computeMethods.decodeWritten(computeMethods.write(key, value, Replace::new));
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    return value != null && computeMethods.replaceIfEqual(encodeQuery(key), value, null);
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    byteCache.guard().requireArgument(expected, "expected");
    ByteSlice bytes = computeMethods.encodeValue(value);
    return computeMethods.replaceIfEqual(encodeKey(key), expected, bytes);
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    computeMethods.adviseOnPlainType(function);
    return computeMethods.computeLocally(key, encodeKey(key), function);
  }

  @Override
  public @Nullable V compute(
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return computeMethods.compute(
        ApplyFunction.FunctionKind.COMPUTE, key, encodeKey(key), function, null, function);
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    return computeMethods.computePlainIfAbsent(key, encodeKey(key), function);
  }

  @Override
  public @Nullable V computeIfAbsent(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function) {
    return computeMethods.computeIfAbsent(key, encodeKey(key), function);
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    computeMethods.adviseOnPlainType(function);
    return computeMethods.computeLocally(key, encodeKey(key), ComputeMethods.ifPresent(function));
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return computeMethods.compute(
        ApplyFunction.FunctionKind.COMPUTE_IF_PRESENT,
        key,
        encodeKey(key),
        function,
        null,
        ComputeMethods.ifPresent(function));
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    byteCache.guard().requireArgument(value, "value");
    computeMethods.adviseOnPlainType(function);
    return computeMethods.computeLocally(
        key, encodeKey(key), ComputeMethods.merging(value, function));
  }

  @Override
  public @Nullable V merge(
      K key,
      V value,
      SerializableBiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return computeMethods.compute(
        ApplyFunction.FunctionKind.MERGE,
        key,
        encodeKey(key),
        function,
        computeMethods.encodeValue(value),
        ComputeMethods.merging(value, function));
  }

  @Override
  public void replaceAll(SerializableBiFunction<? super K, ? super V, ? extends V> function) {
    checkOpen();
    ByteSlice sent = computeMethods.encodeFunction(function);
    if (sent == null) {
      computeMethods.replaceAllLocally(exactStreams(), function);
      return;
    }
    try (CloseableIterator<byte[]> keys = scanner.iterate(ALL_KEYS, Input::readBlob)) {
      computeMethods.replaceAll(keys, sent);
    }
  }

  @Override
  public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    checkOpen();
    computeMethods.adviseOnPlainType(function);
    computeMethods.replaceAllLocally(exactStreams(), function);
  }

  @Override
  public ScanPage<K, V> scan(ScanCursor cursor, int limit) {
    checkOpen();
    return cacheStreamSource.readPage(cursor, limit);
  }

  @Override
  public CacheStatistics statistics() {
    return byteCache.statistics();
  }

  @Override
  public List<String> owners(K key) {
    return byteCache.owners(encodeKey(key));
  }

  // ------------------------------------------------------------------ all keys

  @Override
  public long mappingCount() {
    checkOpen();
    return scanner.count(ScanOptions.ALL);
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
    return new ValueCollectionView<>(this)
        .contains(byteCache.guard().requireArgument(value, "value"));
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> map) {
    checkOpen();
    writeAll(
        false,
        byteCache.guard().requireArgument(map, "map").entrySet().iterator(),
        entry -> {
          byte[] key = encodeKey(entry.getKey());
          ByteSlice value = computeMethods.encodeValue(entry.getValue());
          Operation put = byteCache.applyLifetime(new Put(value, true));
          return new KeyWrite(key, put, key.length + value.length() + 48);
        });
  }

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys) {
    checkOpen();
    Map<ByteBuffer, K> distinct = new LinkedHashMap<>();
    for (K key : byteCache.guard().requireArgument(keys, "keys")) {
      distinct.putIfAbsent(ByteBuffer.wrap(encodeKey(key)), key);
    }
    List<OperationResult> results =
        byteCache.readAll(distinct.keySet().stream().map(ByteBuffer::array).toList());
    Map<K, V> found = new LinkedHashMap<>();
    Iterator<OperationResult> next = results.iterator();
    for (K key : distinct.values()) {
      V value = computeMethods.decodeRead(next.next());
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  @Override
  public void removeAll(Collection<? extends K> keys) {
    checkOpen();
    List<byte[]> encoded =
        byteCache.guard().requireArgument(keys, "keys").stream().map(this::encodeKey).toList();
    writeAll(true, encoded.iterator(), CacheView::quietRemoval);
  }

  @Override
  public void clear() {
    checkOpen();
    try (CloseableIterator<byte[]> keys = scanner.iterate(ALL_KEYS, Input::readBlob)) {
      writeAll(true, keys, CacheView::quietRemoval);
    }
  }

  private static KeyWrite quietRemoval(byte[] key) {
    return new KeyWrite(key, new RemoveEntry(true), key.length + 32);
  }

  /** Makes a write of each element, when it is its turn. */
  private <E> void writeAll(
      boolean isRemoval, Iterator<E> elements, Function<? super E, KeyWrite> toWrite) {
    byteCache.write(
        isRemoval,
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return elements.hasNext();
          }

          @Override
          public KeyWrite next() {
            return toWrite.apply(elements.next());
          }
        },
        codec::keyForError);
  }

  @Override
  public CacheSet<K> keySet() {
    return new KeySetView<>(this);
  }

  @Override
  public CacheCollection<V> values() {
    return new ValueCollectionView<>(this);
  }

  @Override
  public CacheSet<Map.Entry<K, V>> entrySet() {
    return new EntrySetView<>(this);
  }

  CacheStreamSource<K, V> streams() {
    checkOpen();
    return cacheStreamSource;
  }

  /** For calls that must read each entry once, whatever the default of iterations is. */
  CacheStreamSource<K, V> exactStreams() {
    return streams().exactlyOnce();
  }

  // ------------------------------------------------------------------ asynchronous variants

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
  public CompletionStage<Map<K, V>> getAllAsync(Collection<? extends K> keys) {
    return asyncCalls.run(() -> getAll(keys));
  }

  @Override
  public CompletionStage<@Nullable Void> removeAllAsync(Collection<? extends K> keys) {
    return asyncCalls.run(
        () -> {
          removeAll(keys);
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

  // ------------------------------------------------------------------ the view itself

  @Override
  public void close() {
    closed = true;
  }

  private void checkOpen() {
    checkViewOpen();
    byteCache.checkUsable();
  }

  private void checkViewOpen() {
    if (closed) {
      throw new IllegalStateException(
          "this view of cache \"" + name() + "\" is closed; open it again from the grid");
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this || (other instanceof Map<?, ?> map && entrySet().equals(map.entrySet()));
  }

  @Override
  public int hashCode() {
    return new EntrySetView<>(this).hashCode();
  }

  @Override
  public String toString() {
    return "Cache[" + name() + ", " + config() + "]";
  }

  private byte[] encodeKey(@Nullable Object key) {
    return checkKeyLength(codec.encodeKey(checkKey(key)));
  }

  /** Encodes a key of any type. One that no cache can hold is refused as {@link Map} says. */
  private byte[] encodeQuery(@Nullable Object key) {
    Object checked = checkKey(key);
    byte[] bytes;
    try {
      bytes = codec.encodeKey(checked);
    } catch (IllegalArgumentException e) {
      throw (ClassCastException) new ClassCastException(e.getMessage()).initCause(e);
    }
    return checkKeyLength(bytes);
  }

  private Object checkKey(@Nullable Object key) {
    // That the node is closed is said before what is wrong with the arguments.
    if (closed || key == null) {
      checkOpen();
    }
    return Objects.requireNonNull(key, "key");
  }

  private static byte[] checkKeyLength(byte[] key) {
    return ByteCache.checkLength("key", key, ByteCache.MAX_KEY_BYTES);
  }
}
