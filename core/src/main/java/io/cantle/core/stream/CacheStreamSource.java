package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.CacheScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.wire.PullRequest.EntryPart;
import java.util.Map;

/**
 * The calling side of streams: makes the streams and iterators over the entries, keys and values of
 * one cache.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the calling thread.
 */
public final class CacheStreamSource<K, V> {
  private final CacheScanner scanner;
  private final Codec codec;
  private final ElementCodec elementCodec;
  private final Cache<K, V> cache;
  private final SubscriptionExecutor executor;
  private final ScanOptions defaults;

  /**
   * Creates the streams of the cache that the scanner scans.
   *
   * @param defaults how streams and iterators read, unless they say otherwise
   */
  public CacheStreamSource(
      CacheScanner scanner,
      Codec codec,
      Cache<K, V> cache,
      SubscriptionExecutor executor,
      ScanOptions defaults) {
    this.scanner = scanner;
    this.codec = codec;
    this.elementCodec = new ElementCodec(codec);
    this.cache = cache;
    this.executor = executor;
    this.defaults = defaults;
  }

  /** The same streams and iterators, with each entry delivered exactly once. */
  public CacheStreamSource<K, V> exactlyOnce() {
    return defaults.delivery() == Delivery.EXACTLY_ONCE
        ? this
        : new CacheStreamSource<>(
            scanner, codec, cache, executor, defaults.delivery(Delivery.EXACTLY_ONCE));
  }

  /** A stream over the entries; their values cannot be set. */
  public CacheStream<Map.Entry<K, V>> entryStream() {
    return new RecordedStream<>(Pipeline.of(this, EntryPart.ENTRY));
  }

  /** A stream over the keys. */
  public CacheStream<K> keyStream() {
    return new RecordedStream<>(Pipeline.of(this, EntryPart.KEY));
  }

  /** A stream over the values. */
  public CacheStream<V> valueStream() {
    return new RecordedStream<>(Pipeline.of(this, EntryPart.VALUE));
  }

  /**
   * Iterates over the entries, each delivered as often as the defaults say. Setting its value puts
   * it into the cache.
   */
  @SuppressWarnings("unchecked")
  public CloseableIterator<Map.Entry<K, V>> entryIterator() {
    return scanner.iterate(
        new PullClient.ScanSpec(EntryPart.ENTRY, null, defaults),
        in -> {
          Map.Entry<K, V> entry = (Map.Entry<K, V>) elementCodec.readStored(EntryPart.ENTRY, in);
          return new StreamEntry.WriteThroughEntry<>(cache, entry.getKey(), entry.getValue());
        },
        (key, value) -> new StreamEntry.WriteThroughEntry<>(cache, (K) key, (V) value));
  }

  /** Iterates over the keys, each delivered as often as the defaults say. */
  public CloseableIterator<K> keyIterator() {
    return iterator(EntryPart.KEY);
  }

  /** Iterates over the values, each delivered as often as the defaults say. */
  public CloseableIterator<V> valueIterator() {
    return iterator(EntryPart.VALUE);
  }

  /** Reads a page of entries. */
  @SuppressWarnings("unchecked")
  public ScanPage<K, V> readPage(ScanCursor cursor, int limit) {
    return scanner.page(
        cursor, limit, in -> (Map.Entry<K, V>) elementCodec.readStored(EntryPart.ENTRY, in));
  }

  @SuppressWarnings("unchecked")
  private <T> CloseableIterator<T> iterator(EntryPart part) {
    return scanner.iterate(
        new PullClient.ScanSpec(part, null, defaults),
        in -> (T) elementCodec.readStored(part, in),
        (key, value) -> (T) ElementCodec.elementOf(part, key, value));
  }

  // ------------------------------------------------------------------ for pipelines

  /** How streams and iterators read, unless they say otherwise. */
  ScanOptions defaults() {
    return defaults;
  }

  /** The scans that read the entries. */
  CacheScanner scanner() {
    return scanner;
  }

  /** The codec for functions and values. */
  Codec codec() {
    return codec;
  }

  /** The codec for elements. */
  ElementCodec elementCodec() {
    return elementCodec;
  }

  /** The cache of these streams, as opened on this node. */
  Cache<K, V> cache() {
    return cache;
  }

  /** What runs the subscriptions to publishers. */
  SubscriptionExecutor executor() {
    return executor;
  }
}
