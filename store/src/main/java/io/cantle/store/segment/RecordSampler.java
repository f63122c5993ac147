package io.cantle.store.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A sample of many records, spread evenly from the first to the last. At first it takes each
 * record, once there are too many every second one, and so on.
 *
 * <p><b>Threading:</b> one thread.
 */
final class RecordSampler {
  private final int maxSamples;
  private final List<StoreVerifier.RecordExtent> samples = new ArrayList<>();
  private long stride = 1;
  private long seenCount;

  RecordSampler(int maxSamples) {
    this.maxSamples = maxSamples;
  }

  void add(String file, long offset, StoredRecord stored) {
    if (seenCount++ % stride != 0 || maxSamples == 0) {
      return;
    }
    samples.add(
        new StoreVerifier.RecordExtent(
            file, offset, stored.length(), stored.cache(), stored.segment()));
    if (samples.size() >= 4 * maxSamples) {
      for (int index = samples.size() - 1; index > 0; index -= 2) {
        samples.remove(index);
      }
      stride *= 2;
    }
  }

  /** The sample: at most as many as asked for, of the records that were taken. */
  List<StoreVerifier.RecordExtent> select() {
    long count = Math.min(maxSamples, samples.size());
    return LongStream.range(0, count)
        .mapToObj(index -> samples.get((int) (index * samples.size() / count)))
        .toList();
  }
}
