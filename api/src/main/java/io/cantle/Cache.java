package io.cantle;

import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableFunction;
import java.time.Duration;
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
 * one. {@link IndeterminateException} means a write may have happened or not, {@link
 * PartialWriteException} that some of many writes have. Other {@link GridException}s mean it has
 * not. Every call ends within {@link GridConfig#timeout()}, a call on many entries within that time
 * of its last progress.
 *
 * <p><b>Lifetimes.</b> Entries live for ever, or as long as {@link CacheConfig#lifespan} and {@link
 * CacheConfig#maxIdle} say, or {@link #lifespan} and {@link #maxIdle} of the view they are written
 * through. Whoever writes an entry sets its lifetime anew. It is counted from the write on the
 * grid's own clock, to the millisecond, whatever the time of day of a machine: an entry never ends
 * early, and after its end no call that begins then is told of it; after an owner was lost it may
 * live longer by the time that messages had been under way. What has ended stays so until it is
 * written again.
 *
 * <p><b>Functions.</b> A lambda or method reference written as the argument of {@code compute},
 * {@code computeIfAbsent}, {@code computeIfPresent}, {@code merge} or {@code replaceAll} becomes
 * one that can be sent, and runs on the primary of the key, one after another with others for that
 * key; the other owners are told what came of it. What it captures is copied. Its result takes
 * effect once, whatever crashes; the function itself runs again if a plain write of the key came
 * between, or the primary was lost. What it throws reaches the caller as {@link FunctionException},
 * and nothing is written. A function that cannot be sent - a variable of type {@link BiFunction}, a
 * class that is not allowed, something captured that is not - runs on the calling node: the entry
 * is read, the function applied, and the result written if nobody wrote meanwhile, else all of it
 * again; what it throws is thrown as it is. A function may use the grid, but not write the key it
 * runs for: that is refused, or, when it takes a way round through other nodes, ends with the
 * timeout. The same holds for {@code remove(key, value)} and {@code replace(key, expected, value)}:
 * the primary compares, by the bytes and, should these differ, by {@code equals}. The asynchronous
 * twins run the same call on a virtual thread.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Cache<K, V> extends ConcurrentMap<K, V>, AutoCloseable {

  /** The name it was opened under. */
  String name();

  /** What it was created with. */
  CacheConfig config();

  /**
   * The same cache, seen so that what is written through it, by whichever call, lives so long.
   * Other settings are those of this view.
   *
   * @param lifespan from the write on, 1 ms to 100 years, or {@link CacheConfig#FOREVER}
   * @throws IllegalArgumentException if it is out of range
   */
  Cache<K, V> lifespan(Duration lifespan);

  /**
   * The same cache, seen so that what is written through it ends when it is not read for so long:
   * at least so long after its last read by a call on a single key, and at most an eighth longer.
   * Iterations and streams do not count as reads. Reads of such entries are answered by their
   * primary, and noted at the other owners once in an eighth of the time.
   *
   * @param maxIdle 1 ms to 100 years, or {@link CacheConfig#FOREVER}
   * @throws IllegalArgumentException if it is out of range
   */
  Cache<K, V> maxIdle(Duration maxIdle);

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

  /**
   * Reads entries from a place on. From {@link ScanCursor#START} through the cursors of the pages
   * to {@link ScanCursor#END}, each entry present throughout comes exactly once, others once at
   * most, whatever nodes ask and answer meanwhile.
   *
   * @param cursor where to begin
   * @param limit how many entries at most, 1 to 100,000; 1 MiB of them, or one entry, end a page
   *     too
   * @throws IllegalArgumentException if the cursor is not of this cache and grid
   */
  ScanPage<K, V> scan(ScanCursor cursor, int limit);

  /** The keys, as a view; iterating it delivers each key present throughout exactly once. */
  @Override
  CacheSet<K> keySet();

  /**
   * The values, as a view; iterating it delivers each entry present throughout exactly once. What
   * removes by value or by a predicate leaves an entry that has another value by then.
   */
  @Override
  CacheCollection<V> values();

  /**
   * The entries, as a view; iterating it delivers each entry present throughout exactly once. An
   * entry of its iterator is as it was when it was delivered, and {@link Map.Entry#setValue} puts
   * what it is given; entries of its streams cannot be set. What removes by an entry or a predicate
   * leaves an entry that has another value by then.
   */
  @Override
  CacheSet<Map.Entry<K, V>> entrySet();

  /**
   * Puts all entries, many at a time; each single one as by {@link #put}, in no particular order.
   *
   * @throws PartialWriteException when not all of them were written; it names keys
   */
  @Override
  void putAll(Map<? extends K, ? extends V> entries);

  /**
   * Computes a value on the primary, once in effect; see the head of this class.
   *
   * @param function given the key, and the value or null; what it returns is written, null removes
   * @return the new value, or null for none
   * @throws FunctionException when the function throws; nothing was written
   */
  @Nullable V compute(
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /**
   * Computes, where there is none, a value on the primary, once in effect; see the head of this
   * class.
   *
   * @param function given the key; what it returns is written, null leaves no value
   * @return the value that is there afterwards, or null for none
   * @throws FunctionException when the function throws; nothing was written
   */
  @Nullable V computeIfAbsent(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function);

  /**
   * Computes, where there is one, a value on the primary, once in effect; see the head of this
   * class.
   *
   * @param function given key and value; what it returns is written, null removes
   * @return the new value, or null for none
   * @throws FunctionException when the function throws; nothing was written
   */
  @Nullable V computeIfPresent(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /**
   * Writes a value where there is none, else joins the two on the primary, once in effect; see the
   * head of this class.
   *
   * @param function given the value that is there and the given one; what it returns is written,
   *     null removes
   * @return the new value, or null for none
   * @throws FunctionException when the function throws; nothing was written
   */
  @Nullable V merge(
      K key, V value, SerializableBiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /**
   * Replaces the value of every entry present throughout the call, each once, on its primary; many
   * at a time and in no particular order. If it ends with an exception, some are replaced.
   *
   * @param function given key and value; what it returns is written and must not be null
   * @throws FunctionException when the function throws for an entry, which then stays as it is, and
   *     nothing was replaced before
   * @throws PartialWriteException when it ends, for whatever reason, after values were replaced, or
   *     may have been: another try would replace these again
   */
  void replaceAll(SerializableBiFunction<? super K, ? super V, ? extends V> function);

  /**
   * Removes every entry present throughout the call.
   *
   * @throws PartialWriteException when not all of them were removed; it names keys
   */
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

  /** {@link #compute(Object, SerializableBiFunction)}, waited for on a virtual thread. */
  CompletionStage<@Nullable V> computeAsync(
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /** {@link #computeIfAbsent(Object, SerializableFunction)}, waited for on a virtual thread. */
  CompletionStage<@Nullable V> computeIfAbsentAsync(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function);

  /** {@link #computeIfPresent(Object, SerializableBiFunction)}, waited for on a virtual thread. */
  CompletionStage<@Nullable V> computeIfPresentAsync(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /** {@link #merge(Object, Object, SerializableBiFunction)}, waited for on a virtual thread. */
  CompletionStage<@Nullable V> mergeAsync(
      K key, V value, SerializableBiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /** {@link #compute(Object, BiFunction)}, on a virtual thread. */
  CompletionStage<@Nullable V> computeAsync(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /** {@link #computeIfAbsent(Object, Function)}, on a virtual thread. */
  CompletionStage<@Nullable V> computeIfAbsentAsync(
      K key, Function<? super K, ? extends @Nullable V> function);

  /** {@link #computeIfPresent(Object, BiFunction)}, on a virtual thread. */
  CompletionStage<@Nullable V> computeIfPresentAsync(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /** {@link #merge(Object, Object, BiFunction)}, on a virtual thread. */
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
