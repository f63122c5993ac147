package io.cantle.core.publish;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.scan.PartialReader;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.scan.TaskInterpreter;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scans over all entries of one cache, wherever they are, as seen from the calling node. Each entry
 * that is present throughout a scan counts exactly once.
 *
 * <p><b>Threading:</b> any thread; each call is run by the thread that makes it.
 */
public interface CacheScanner {

  /**
   * Has the owners evaluate a task over their live entries.
   *
   * @param task what {@link TaskInterpreter#readReduction} understands
   * @param options which entries, and how
   * @param partials reads the result of each part of the cache, each part once
   */
  void reduce(byte[] task, ScanOptions options, PartialReader partials);

  /**
   * Pulls the elements of all entries.
   *
   * @param spec what an element is, and which entries, and how; a task is what {@link
   *     TaskInterpreter#readTransformation} understands, and its outputs are the elements
   * @param reader reads exactly one element
   */
  <T> CloseableIterator<T> iterate(PullClient.ScanSpec spec, Function<Input, T> reader);

  /**
   * Pulls all entries, or their keys or values. Those that this node alone holds are not encoded.
   *
   * @param spec has no task
   * @param reader reads exactly one element
   * @param objects makes the same element of its key and value; one that is not wanted is null
   */
  default <T> CloseableIterator<T> iterate(
      PullClient.ScanSpec spec,
      Function<Input, T> reader,
      BiFunction<@Nullable Object, @Nullable Object, T> objects) {
    return iterate(spec, reader);
  }

  /**
   * Publishes the elements of all entries.
   *
   * @param spec what an element is, and which entries, and how; a task is what {@link
   *     TaskInterpreter#readTransformation} understands, and its outputs are the elements
   * @param reader reads exactly one element
   */
  <T> CachePublisher<T> publish(PullClient.ScanSpec spec, Function<Input, T> reader);

  /**
   * Reads a page of entries.
   *
   * @param reader reads a key blob and a value blob
   */
  <K, V> ScanPage<K, V> page(ScanCursor cursor, int limit, Function<Input, Map.Entry<K, V>> reader);

  /** Counts the entries, visiting none unless keys are wanted. */
  long count(ScanOptions options);

  /** Whether this node has a replica of every segment, so that no entry travels to it. */
  boolean ownsAll();
}
