package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans;
import io.cantle.core.publish.Scans.Part;
import java.util.Map;

/**
 * The asker's half of streams: the streams and iterators over the entries, keys and values of one
 * cache.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the thread that asked.
 */
public final class Streams<K, V> {
  private final Scans scans;
  private final Codec codec;
  private final ElementForm elementForm;
  private final Cache<K, V> cache;
  private final World world;

  /** Streams over the cache that these scans are of. */
  public Streams(Scans scans, Codec codec, Cache<K, V> cache, World world) {
    this.scans = scans;
    this.codec = codec;
    this.elementForm = new ElementForm(codec);
    this.cache = cache;
    this.world = world;
  }

  /** A stream over the entries; they cannot be set. */
  public CacheStream<Map.Entry<K, V>> entries() {
    return stream(Part.ENTRY);
  }

  /** A stream over the keys. */
  public CacheStream<K> keys() {
    return stream(Part.KEY);
  }

  /** A stream over the values. */
  public CacheStream<V> values() {
    return stream(Part.VALUE);
  }

  /** Pulls the entries, each present throughout exactly once; what they are set to is put. */
  @SuppressWarnings("unchecked")
  public CloseableIterator<Map.Entry<K, V>> entryIterator() {
    return scans.iterate(
        Part.ENTRY,
        null,
        ScanOptions.ALL,
        in -> {
          Map.Entry<K, V> read = (Map.Entry<K, V>) elementForm.readStored(Part.ENTRY, in);
          return new StreamEntry.Connected<>(cache, read.getKey(), read.getValue());
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
  public ScanPage<K, V> page(ScanCursor cursor, int limit) {
    return scans.page(
        cursor, limit, in -> (Map.Entry<K, V>) elementForm.readStored(Part.ENTRY, in));
  }

  private <T> CacheStream<T> stream(Part part) {
    return new RecordedStream<>(Pipeline.of(this, part));
  }

  @SuppressWarnings("unchecked")
  private <T> CloseableIterator<T> iterator(Part part) {
    return scans.iterate(part, null, ScanOptions.ALL, in -> (T) elementForm.readStored(part, in));
  }

  // ------------------------------------------------------------------ what pipelines need

  /** These reach the entries. */
  Scans scans() {
    return scans;
  }

  /** This sends functions. */
  Codec codec() {
    return codec;
  }

  /** This reads elements. */
  ElementForm elementForm() {
    return elementForm;
  }

  /** The cache they are of, as opened here. */
  Cache<K, V> cache() {
    return cache;
  }

  /** This has threads for publishers. */
  World world() {
    return world;
  }

  // Elements may be null where the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  Object element(Input in) {
    return elementForm.read(in);
  }
}
