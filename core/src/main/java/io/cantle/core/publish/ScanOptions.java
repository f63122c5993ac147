package io.cantle.core.publish;

import io.cantle.Delivery;
import io.cantle.ScanSettings.SegmentListener;
import io.cantle.core.segment.SegmentSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a scan goes about its entries, as its user set it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param segments the only ones wanted, or null for all
 * @param keys the only keys wanted, as bytes, or null for all
 * @param batch how many elements may wait at this node
 * @param sequential whether one owner after another is asked
 * @param parallel whether an owner uses several threads
 * @param delivery how often an entry counts
 * @param timeoutNanos how long it may go without progress, or 0 for that of the grid
 * @param listeners hear of segments that are done
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
  /** How many elements may wait unless set. */
  public static final int DEFAULT_BATCH = 4_096;

  /** The most that may wait. */
  public static final int MAX_BATCH = 1 << 20;

  /** Everything, exactly once. */
  public static final ScanOptions ALL =
      new ScanOptions(null, null, DEFAULT_BATCH, false, false, Delivery.EXACTLY_ONCE, 0, List.of());

  /** Copies the lists. */
  public ScanOptions {
    keys = keys == null ? null : List.copyOf(keys);
    listeners = List.copyOf(listeners);
  }

  /** Only these segments, of those wanted so far. */
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

  /** Only these keys; what was wanted so far has to be in them already. */
  public ScanOptions keys(List<byte[]> only) {
    return new ScanOptions(
        segments, only, batch, sequential, parallel, delivery, timeoutNanos, listeners);
  }

  /** So many elements may wait. */
  public ScanOptions batch(int elements) {
    return new ScanOptions(
        segments, keys, elements, sequential, parallel, delivery, timeoutNanos, listeners);
  }

  /** One owner after another, or several. */
  public ScanOptions sequential(boolean oneByOne) {
    return new ScanOptions(
        segments, keys, batch, oneByOne, parallel, delivery, timeoutNanos, listeners);
  }

  /** Several threads on an owner, or one. */
  public ScanOptions parallel(boolean several) {
    return new ScanOptions(
        segments, keys, batch, sequential, several, delivery, timeoutNanos, listeners);
  }

  /** So often an entry counts. */
  public ScanOptions delivery(Delivery often) {
    return new ScanOptions(
        segments, keys, batch, sequential, parallel, often, timeoutNanos, listeners);
  }

  /** So long without progress. */
  public ScanOptions timeoutNanos(long nanos) {
    return new ScanOptions(segments, keys, batch, sequential, parallel, delivery, nanos, listeners);
  }

  /** Only these listeners. */
  public ScanOptions listeners(List<SegmentListener> only) {
    return new ScanOptions(
        segments, keys, batch, sequential, parallel, delivery, timeoutNanos, only);
  }

  /** One more listener. */
  public ScanOptions listener(SegmentListener listener) {
    List<SegmentListener> extended = new ArrayList<>(listeners);
    extended.add(listener);
    return listeners(extended);
  }
}
