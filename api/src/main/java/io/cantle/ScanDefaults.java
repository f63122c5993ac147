package io.cantle;

import java.util.Objects;

/**
 * How the iterators, streams and publishers of a cache read its entries, unless one of them says
 * otherwise by the method of the same name in {@link ScanSettings}. Each node has its own: they
 * belong to the {@link Cache} object that they were opened with, not to the cache in the grid.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param distributedBatchSize how many elements may wait at this node for their reader, 1 to {@link
 *     #MAX_BATCH_SIZE}; see {@link ScanSettings#distributedBatchSize}. Default: 4,096
 * @param delivery how often an entry counts if the owner of its segment changes or fails meanwhile.
 *     Default: {@link Delivery#EXACTLY_ONCE}
 * @param distribution whether several owners are asked at the same time. Default: {@link
 *     Distribution#PARALLEL}
 */
public record ScanDefaults(int distributedBatchSize, Delivery delivery, Distribution distribution) {

  /** How many elements a batch has unless set otherwise. */
  public static final int DEFAULT_BATCH_SIZE = 4_096;

  /** The most elements of a batch. */
  public static final int MAX_BATCH_SIZE = 1 << 20;

  /** The defaults of a cache that is opened without others. */
  public static final ScanDefaults STANDARD =
      new ScanDefaults(DEFAULT_BATCH_SIZE, Delivery.EXACTLY_ONCE, Distribution.PARALLEL);

  /** Whether several owners are asked at the same time. */
  public enum Distribution {
    /** Several owners at the same time; see {@link ScanSettings#parallelDistribution}. */
    PARALLEL,
    /** One owner after another; see {@link ScanSettings#sequentialDistribution}. */
    SEQUENTIAL
  }

  /** Checks that every setting is in its range. */
  public ScanDefaults {
    GridConfig.checkRange("distributedBatchSize", distributedBatchSize, 1, MAX_BATCH_SIZE);
    Objects.requireNonNull(delivery, "delivery");
    Objects.requireNonNull(distribution, "distribution");
  }

  /** A copy of these defaults with another {@link #distributedBatchSize}. */
  public ScanDefaults distributedBatchSize(int elements) {
    return new ScanDefaults(elements, delivery, distribution);
  }

  /** A copy of these defaults with another {@link #delivery}. */
  public ScanDefaults delivery(Delivery value) {
    return new ScanDefaults(distributedBatchSize, value, distribution);
  }

  /** A copy of these defaults with another {@link #distribution}. */
  public ScanDefaults distribution(Distribution value) {
    return new ScanDefaults(distributedBatchSize, delivery, value);
  }
}
