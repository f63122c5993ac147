package io.cantle;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A map whose entries are spread over the nodes of a grid. Single-key calls are linearizable: every
 * node sees one order of them per key, whatever joins, leaves or crashes. Neither keys nor values
 * may be null.
 *
 * <p><b>Keys</b> are booleans, numbers, characters, strings, byte arrays, UUIDs, enums, java.time
 * values, and records and lists of these; two keys are the same when they are equal, and byte
 * arrays when their content is. Anything else is refused with its type named. <b>Values</b> may be
 * any object whose class is allowed, see {@link GridConfig#allow()}. The grid keeps bytes: an
 * object that was put may be changed afterwards without changing the entry, and one that was read
 * belongs to its reader unless it came out of a stream (see {@link CacheStream}). A key may take 1
 * MiB as bytes, a value 16 MiB; more is refused.
 *
 * <p><b>Errors.</b> A call that ends normally has happened and survives the crash of all owners but
 * one. {@link IndeterminateException} means a write may have happened or not. Other {@link
 * GridException}s mean it has not. Every call ends within {@link GridConfig#timeout()}, a call on
 * many entries within that time of its last progress.
 *
 * <p><b>Functions</b> given to {@code compute}, {@code merge} and their kin run on the calling node
 * and may run again when somebody else wrote the key meanwhile; they need not be serializable. The
 * asynchronous twins run the same call on a virtual thread.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Cache<K, V> extends ConcurrentMap<K, V>, AutoCloseable {

  /** The name it was opened under. */
  String name();

  /** What it was created with. */
  CacheConfig config();

  /**
   * The number of entries, counted segment by segment without visiting an entry: exact when nobody
   * writes, else each segment at some moment during the call.
   */
  long mappingCount();

  /** {@link #mappingCount()}, {@link Integer#MAX_VALUE} when there are more. */
  @Override
  int size();

  /**
   * The names of the nodes that own the key's segment at this moment, as this node knows it, the
   * primary first; whether or not there is an entry.
   */
  List<String> owners(K key);

  /** The keys, as a view; iterating it delivers each key present throughout exactly once. */
  @Override
  CacheSet<K> keySet();

  /** The values, as a view; iterating it delivers each entry present throughout exactly once. */
  @Override
  CacheCollection<V> values();

  /**
   * The entries, as a view; iterating it delivers each entry present throughout exactly once.
   * {@link Map.Entry#setValue} is not supported.
   */
  @Override
  CacheSet<Map.Entry<K, V>> entrySet();

  /**
   * Puts all entries, many at a time; each single one as by {@link #put}, in no particular order.
   */
  @Override
  void putAll(Map<? extends K, ? extends V> entries);

  /** Removes every entry present throughout the call. */
  @Override
  void clear();

  /** {@link #get}, on a virtual thread. */
  CompletionStage<@Nullable V> getAsync(K key);

  /** {@link #containsKey}, on a virtual thread. */
  CompletionStage<Boolean> containsKeyAsync(K key);

  /** {@link #put}, on a virtual thread. */
  CompletionStage<@Nullable V> putAsync(K key, V value);

  /** {@link #putIfAbsent}, on a virtual thread. */
  CompletionStage<@Nullable V> putIfAbsentAsync(K key, V value);

  /** {@link #remove(Object)}, on a virtual thread. */
  CompletionStage<@Nullable V> removeAsync(K key);

  /** {@link #remove(Object, Object)}, on a virtual thread. */
  CompletionStage<Boolean> removeAsync(K key, V value);

  /** {@link #replace(Object, Object)}, on a virtual thread. */
  CompletionStage<@Nullable V> replaceAsync(K key, V value);

  /** {@link #replace(Object, Object, Object)}, on a virtual thread. */
  CompletionStage<Boolean> replaceAsync(K key, V expected, V value);

  /** {@link #compute}, on a virtual thread. */
  CompletionStage<@Nullable V> computeAsync(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /** {@link #computeIfAbsent}, on a virtual thread. */
  CompletionStage<@Nullable V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends @Nullable V> function);

  /** {@link #computeIfPresent}, on a virtual thread. */
  CompletionStage<@Nullable V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /** {@link #merge}, on a virtual thread. */
  CompletionStage<@Nullable V> mergeAsync(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /** {@link #putAll}, on a virtual thread. */
  CompletionStage<@Nullable Void> putAllAsync(Map<? extends K, ? extends V> entries);

  /** {@link #clear}, on a virtual thread. */
  CompletionStage<@Nullable Void> clearAsync();

  /** {@link #mappingCount}, on a virtual thread. */
  CompletionStage<Long> mappingCountAsync();

  /** Closes this view of the cache; the entries stay in the grid. Later calls are refused. */
  @Override
  void close();
}
