package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.CacheScanner;
import io.cantle.core.publish.CacheScanner.Part;
import io.cantle.core.publish.ScanOptions;
import java.util.Map;

/**
 * The asker's half of streams: the streams and iterators over the entries, keys and values of one
 * cache.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the thread that asked.
 */
public final class CacheStreams<K, V> {
  private final CacheScanner scanner;
  private final Codec codec;
  private final ElementCodec elementCodec;
  private final Cache<K, V> cache;
  private final Environment environment;

  /** Streams over the cache that these scans are of. */
  public CacheStreams(
      CacheScanner scanner, Codec codec, Cache<K, V> cache, Environment environment) {
    this.scanner = scanner;
    this.codec = codec;
    this.elementCodec = new ElementCodec(codec);
    this.cache = cache;
    this.environment = environment;
  }

  /** A stream over the entries; they cannot be set. */
  public CacheStream<Map.Entry<K, V>> entryStream() {
    return stream(Part.ENTRY);
  }

  /** A stream over the keys. */
  public CacheStream<K> keyStream() {
    return stream(Part.KEY);
  }

  /** A stream over the values. */
  public CacheStream<V> valueStream() {
    return stream(Part.VALUE);
  }

  /** Pulls the entries, each present throughout exactly once; what they are set to is put. */
  @SuppressWarnings("unchecked")
  public CloseableIterator<Map.Entry<K, V>> entryIterator() {
    return scanner.iterate(
        Part.ENTRY,
        null,
        ScanOptions.ALL,
        in -> {
          Map.Entry<K, V> entry = (Map.Entry<K, V>) elementCodec.readStored(Part.ENTRY, in);
          return new StreamEntry.Connected<>(cache, entry.getKey(), entry.getValue());
        });
  }

  /** Pulls the keys, each present throughout exactly once. */
  public CloseableIterator<K> keyIterator() {
    return iterator(Part.KEY);
  }

  /** Pulls the values, that of each entry present throughout exactly once. */
  public CloseableIterator<V> valueIterator() {
    return iterator(Part.VALUE);
  }

  /** A page of entries. */
  @SuppressWarnings("unchecked")
  public ScanPage<K, V> readPage(ScanCursor cursor, int limit) {
    return scanner.page(
        cursor, limit, in -> (Map.Entry<K, V>) elementCodec.readStored(Part.ENTRY, in));
  }

  private <T> CacheStream<T> stream(Part part) {
    return new RecordedStream<>(Pipeline.of(this, part));
  }

  @SuppressWarnings("unchecked")
  private <T> CloseableIterator<T> iterator(Part part) {
    return scanner.iterate(
        part, null, ScanOptions.ALL, in -> (T) elementCodec.readStored(part, in));
  }

  // ------------------------------------------------------------------ what pipelines need

  /** These reach the entries. */
  CacheScanner scans() {
    return scanner;
  }

  /** This sends functions. */
  Codec codec() {
    return codec;
  }

  /** This reads elements. */
  ElementCodec elementForm() {
    return elementCodec;
  }

  /** The cache they are of, as opened here. */
  Cache<K, V> cache() {
    return cache;
  }

  /** This has threads for publishers. */
  Environment world() {
    return environment;
  }

  // Elements may be null where the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  Object readElement(Input in) {
    return elementCodec.read(in);
  }
}
