package io.cantle;

import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableFunction;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A map whose entries are spread over the nodes of a grid. Calls on a single key are linearizable:
 * every node sees the same order of them for each key, whatever nodes join, leave or crash. Neither
 * keys nor values may be null.
 *
 * <p><b>Keys</b> are booleans, numbers, characters, strings, byte arrays, UUIDs, enums, java.time
 * values, and records and lists of these. Two keys are the same when they are equal; byte arrays
 * are the same when their contents are. Any other type is refused with an exception that names it:
 * an {@link IllegalArgumentException}, and from the methods that take any object, such as {@code
 * get}, a {@link ClassCastException}. <b>Values</b> may be any object whose class is allowed: those
 * of the application, and others that are named by {@link GridConfig#allowing}. The grid stores
 * bytes: changing an object after it was put does not change the entry. An object that was read
 * belongs to the caller, unless it came out of a stream (see {@link CacheStream}). Only one that
 * nobody can change, such as a string or a record of strings, may be given to others as well: do
 * not lock on it. A key may take 1 MiB as bytes and a value 16 MiB; more is refused.
 *
 * <p><b>Errors.</b> A write that returns normally has taken effect and survives the crash of all
 * owners of the entry but one. After an {@link IndeterminateException} the write may or may not
 * have taken effect; after a {@link PartialWriteException} some of several writes have. A {@link
 * DecodingException} says whether the write was made: the old value that {@code put} or {@code
 * remove} returns may be of a class that this node lacks. Any other {@link GridException} means
 * that it has not. Every call ends within {@link GridConfig#timeout}; a call on many entries ends
 * within that time after its last progress.
 *
 * <p><b>Lifetimes.</b> Entries live for ever, or as long as {@link CacheConfig#lifespan} and {@link
 * CacheConfig#maxIdle} say, or {@link #lifespan} and {@link #maxIdle} of the view they are written
 * through. Each write of an entry starts its lifetime anew. The lifetime is counted from the write,
 * in milliseconds, on the grid's own clock; the time of day of a machine plays no part. An entry
 * never expires early, and no call that begins after its expiry sees it. After an owner was lost,
 * an entry may live longer, by the time that messages had been under way. An expired entry stays
 * expired until it is written again.
 *
 * <p><b>Functions.</b> Pass a lambda or method reference directly to {@code compute}, {@code
 * computeIfAbsent}, {@code computeIfPresent}, {@code merge} or {@code replaceAll}, and it becomes
 * serializable. It then runs on the primary of the key, one function at a time for each key; the
 * other owners receive its result. What it captures is copied, and a change of it is noticed, as
 * {@link CacheStream} says. Its result takes effect once, whatever crashes. The function itself may
 * run again: if a plain write of the key came between, or if the primary was lost. What it throws
 * reaches the caller as a {@link FunctionException}, and nothing is written.
 *
 * <p>Some functions cannot be sent: one that is given in a variable of type {@link BiFunction}, one
 * of a class that is not allowed, and one that captures something that is not allowed, or that is
 * there to be changed, such as an {@code AtomicInteger}. Such a function runs on the calling node,
 * which logs why, once for each call site. That node reads the entry, applies the function, and
 * writes the result if the entry is unchanged; otherwise it starts over. What the function throws
 * is thrown as it is.
 *
 * <p>A function may use the grid, but must not write the key it runs for, nor have a stream or
 * another function write it. Such a write is refused with an {@link IllegalStateException}. A write
 * by a thread that the function itself starts is not recognized: a function that it overtakes each
 * time fails after some hundred runs, or, where it runs on the calling node or the two wait for
 * each other, with the timeout.
 *
 * <p>The same holds for {@code remove(key, value)} and {@code replace(key, expected, value)}: the
 * primary compares the values by their bytes and, if these differ, by {@code equals}. The
 * asynchronous variants run the same calls on a virtual thread.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Cache<K, V> extends ConcurrentMap<K, V>, AutoCloseable {

  /** The name the cache was opened under. */
  String name();

  /** The configuration the cache was created with. */
  CacheConfig config();

  /**
   * A view of this cache that gives this lifespan to every entry written through it, by whichever
   * call. Other settings are those of this view.
   *
   * @param lifespan time from the write on, 1 ms to 100 years, or {@link CacheConfig#FOREVER}
   * @throws IllegalArgumentException if it is out of range
   */
  Cache<K, V> lifespan(Duration lifespan);

  /**
   * A view of this cache whose writes give entries this idle time: an entry expires when no call on
   * its key has read it for so long. It expires at the earliest one idle time after its last read,
   * and at the latest an eighth of that later. Iterations and streams do not count as reads. Reads
   * of such entries are answered by their primary, which tells the other owners of them at most
   * once in an eighth of the idle time.
   *
   * @param maxIdle 1 ms to 100 years, or {@link CacheConfig#FOREVER}
   * @throws IllegalArgumentException if it is out of range
   */
  Cache<K, V> maxIdle(Duration maxIdle);

  /**
   * The number of entries, counted segment by segment without visiting an entry. It is exact when
   * nothing is written meanwhile; otherwise each segment is counted at some moment during the call.
   */
  long mappingCount();

  /** {@link #mappingCount()}, or {@link Integer#MAX_VALUE} if there are more entries. */
  @Override
  int size();

  /**
   * The figures of this cache on this node: the calls made here, how long they took, and what this
   * node owns. Counting goes on whether they are read or not; reading them asks no other node. They
   * are also attributes of the JMX bean {@code
   * io.cantle:type=Cache,grid=...,node=...,name=...,mode=...}.
   *
   * @throws IllegalStateException if the grid is closed
   */
  CacheStatistics statistics();

  /**
   * The names of the nodes that own the key's segment at this moment, as far as this node knows.
   * The primary comes first. The key need not have an entry.
   */
  List<String> owners(K key);

  /**
   * Reads a page of entries, beginning at a cursor. Follow the cursors of the pages from {@link
   * ScanCursor#START} to {@link ScanCursor#END}: an entry that is present throughout comes exactly
   * once, any other at most once, whichever nodes ask and answer.
   *
   * @param cursor where the page begins
   * @param limit the most entries in the page, 1 to 100,000; a page also ends at 1 MiB, or after
   *     one entry that is longer
   * @throws IllegalArgumentException if the cursor is not of this cache and grid
   */
  ScanPage<K, V> scan(ScanCursor cursor, int limit);

  /** A view of the keys. Its iterator delivers each key that is present throughout exactly once. */
  @Override
  CacheSet<K> keySet();

  /**
   * A view of the values. Its iterator delivers the value of each entry that is present throughout
   * exactly once. Removing by value or by a predicate spares an entry whose value has changed by
   * then.
   */
  @Override
  CacheCollection<V> values();

  /**
   * A view of the entries. Its iterator delivers each entry that is present throughout exactly
   * once. An entry from the iterator is a snapshot of the moment it was delivered, and {@link
   * Map.Entry#setValue} puts the given value. Entries from streams cannot be set. Removing by an
   * entry or a predicate spares an entry whose value has changed by then.
   */
  @Override
  CacheSet<Map.Entry<K, V>> entrySet();

  /**
   * Puts all entries, many at a time and in no particular order, each of them as {@link #put} does.
   *
   * @throws PartialWriteException if not all of them were written; it names keys
   */
  @Override
  void putAll(Map<? extends K, ? extends V> entries);

  /**
   * Reads many keys at a time, each of them as {@link #get} does; the map is no snapshot of one
   * moment. Keys of the same owner are asked for together. A key that is given twice is read once.
   *
   * @return a map of the keys that have a value, in the order given; it belongs to the caller, and
   *     holds the key objects that were given
   * @throws NullPointerException if a key is null; nothing was read then
   */
  Map<K, V> getAll(Collection<? extends K> keys);

  /**
   * Removes many keys at a time and in no particular order, each of them as {@link #remove(Object)}
   * does. A key without a value is left alone.
   *
   * @throws NullPointerException if a key is null; nothing was removed then
   * @throws PartialWriteException if not all of them were removed; it names keys
   */
  void removeAll(Collection<? extends K> keys);

  /**
   * Computes a value on the primary, with one effect even if nodes crash; see <b>Functions</b> in
   * the description of this class.
   *
   * @param function gets the key, and the value or null; its result is written, null removes the
   *     entry
   * @return the new value, or null if there is none
   * @throws FunctionException if the function throws; nothing was written
   */
  @Nullable V compute(
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /**
   * Computes a value on the primary if there is none, with one effect even if nodes crash; see
   * <b>Functions</b> in the description of this class.
   *
   * @param function gets the key; its result is written, null leaves the key without a value
   * @return the value that is present afterwards, or null if there is none
   * @throws FunctionException if the function throws; nothing was written
   */
  @Nullable V computeIfAbsent(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function);

  /**
   * Computes a new value on the primary if there is a value, with one effect even if nodes crash;
   * see <b>Functions</b> in the description of this class.
   *
   * @param function gets key and value; its result is written, null removes the entry
   * @return the new value, or null if there is none
   * @throws FunctionException if the function throws; nothing was written
   */
  @Nullable V computeIfPresent(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /**
   * Writes the given value if there is none, else merges the two on the primary, with one effect
   * even if nodes crash; see <b>Functions</b> in the description of this class.
   *
   * @param function gets the present value and the given one; its result is written, null removes
   *     the entry
   * @return the new value, or null if there is none
   * @throws FunctionException if the function throws; nothing was written
   */
  @Nullable V merge(
      K key, V value, SerializableBiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /**
   * Replaces the value of every entry that is present throughout the call, each once, on its
   * primary. It works on many entries at a time, in no particular order. If the call ends with an
   * exception, some values may have been replaced.
   *
   * @param function gets key and value; its result is written and must not be null
   * @throws FunctionException if the function throws for an entry, which then stays as it is, and
   *     nothing had been replaced before
   * @throws PartialWriteException if the call ends, for whatever reason, after values were replaced
   *     or may have been: calling again would replace these a second time
   */
  void replaceAll(SerializableBiFunction<? super K, ? super V, ? extends V> function);

  /**
   * Removes every entry that is present throughout the call.
   *
   * @throws PartialWriteException if not all of them were removed; it names keys
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

  /** {@link #compute(Object, SerializableBiFunction)}; a virtual thread waits for the result. */
  CompletionStage<@Nullable V> computeAsync(
      K key,
      SerializableBiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /**
   * {@link #computeIfAbsent(Object, SerializableFunction)}; a virtual thread waits for the result.
   */
  CompletionStage<@Nullable V> computeIfAbsentAsync(
      K key, SerializableFunction<? super K, ? extends @Nullable V> function);

  /**
   * {@link #computeIfPresent(Object, SerializableBiFunction)}; a virtual thread waits for the
   * result.
   */
  CompletionStage<@Nullable V> computeIfPresentAsync(
      K key, SerializableBiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /**
   * {@link #merge(Object, Object, SerializableBiFunction)}; a virtual thread waits for the result.
   */
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

  /** {@link #getAll}, on a virtual thread. */
  CompletionStage<Map<K, V>> getAllAsync(Collection<? extends K> keys);

  /** {@link #removeAll}, on a virtual thread. */
  CompletionStage<@Nullable Void> removeAllAsync(Collection<? extends K> keys);

  /** {@link #clear}, on a virtual thread. */
  CompletionStage<@Nullable Void> clearAsync();

  /** {@link #mappingCount}, on a virtual thread. */
  CompletionStage<Long> mappingCountAsync();

  /**
   * Closes this view of the cache. The entries stay in the grid; later calls on the view are
   * refused.
   */
  @Override
  void close();
}
