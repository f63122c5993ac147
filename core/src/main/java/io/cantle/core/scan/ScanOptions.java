package io.cantle.core.scan;

import io.cantle.Delivery;
import io.cantle.ScanDefaults;
import io.cantle.ScanDefaults.Distribution;
import io.cantle.ScanSettings.SegmentListener;
import io.cantle.core.segment.SegmentSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a scan: which entries it reads, and how.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param segments the only segments wanted, or null for all
 * @param keys the only keys wanted, as bytes, or null for all
 * @param batch how many elements may be buffered at the calling node
 * @param sequential whether to ask one owner after another
 * @param parallel whether an owner uses several threads
 * @param delivery how often an entry may count
 * @param timeoutNanos how long the scan may go without progress, or 0 for the grid's timeout
 * @param listeners called for each segment that is read to its end
 */
public record ScanOptions(
    @Nullable SegmentSet segments,
    @Nullable List<byte[]> keys,
    int batch,
    boolean sequential,
    boolean parallel,
    Delivery delivery,
    long timeoutNanos,
    List<SegmentListener> listeners) {
  /** The number of elements that may be buffered by default. */
  public static final int DEFAULT_BATCH_ELEMENTS = ScanDefaults.DEFAULT_BATCH_SIZE;

  /** The most elements that may be buffered. */
  public static final int MAX_BATCH_ELEMENTS = ScanDefaults.MAX_BATCH_SIZE;

  /** All entries, exactly once. */
  public static final ScanOptions ALL = of(ScanDefaults.STANDARD);

  /** Copies the lists. */
  public ScanOptions {
    keys = keys == null ? null : List.copyOf(keys);
    listeners = List.copyOf(listeners);
  }

  /** All entries, read as a cache's defaults say. */
  public static ScanOptions of(ScanDefaults defaults) {
    return new ScanOptions(
        null,
        null,
        defaults.distributedBatchSize(),
        defaults.distribution() == Distribution.SEQUENTIAL,
        false,
        defaults.delivery(),
        0,
        List.of());
  }

  /** Limits the scan to these segments, of those wanted so far. */
  public ScanOptions segments(SegmentSet only) {
    return new ScanOptions(
        segments == null ? only : segments.intersection(only),
        keys,
        batch,
        sequential,
        parallel,
        delivery,
        timeoutNanos,
        listeners);
  }

  /** Limits the scan to these keys, which must be among those wanted so far. */
  public ScanOptions keys(List<byte[]> only) {
    return new ScanOptions(
        segments, only, batch, sequential, parallel, delivery, timeoutNanos, listeners);
  }

  /** Sets how many elements may be buffered. */
  public ScanOptions batch(int elements) {
    return new ScanOptions(
        segments, keys, elements, sequential, parallel, delivery, timeoutNanos, listeners);
  }

  /** Sets whether to ask one owner after another. */
  public ScanOptions sequential(boolean oneByOne) {
    return new ScanOptions(
        segments, keys, batch, oneByOne, parallel, delivery, timeoutNanos, listeners);
  }

  /** Sets whether an owner uses several threads. */
  public ScanOptions parallel(boolean several) {
    return new ScanOptions(
        segments, keys, batch, sequential, several, delivery, timeoutNanos, listeners);
  }

  /** Sets how often an entry may count. */
  public ScanOptions delivery(Delivery often) {
    return new ScanOptions(
        segments, keys, batch, sequential, parallel, often, timeoutNanos, listeners);
  }

  /** Sets how long the scan may go without progress. */
  public ScanOptions timeoutNanos(long nanos) {
    return new ScanOptions(segments, keys, batch, sequential, parallel, delivery, nanos, listeners);
  }

  /** Replaces the listeners. */
  public ScanOptions listeners(List<SegmentListener> only) {
    return new ScanOptions(
        segments, keys, batch, sequential, parallel, delivery, timeoutNanos, only);
  }

  /** Notifies the listeners that a segment was read to its end. */
  public void notifyCompleted(int segment) {
    listeners.forEach(listener -> listener.completed(segment));
  }

  /** Adds a listener. */
  public ScanOptions listener(SegmentListener listener) {
    return listeners(Stream.concat(listeners.stream(), Stream.of(listener)).toList());
  }
}
