package io.cantle.store.segment;

import java.util.ArrayList;
import java.util.List;

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

  void add(String file, long offset, long length, int cache, int segment) {
    if (seenCount++ % stride != 0 || maxSamples == 0) {
      return;
    }
    samples.add(new StoreVerifier.RecordExtent(file, offset, length, cache, segment));
    if (samples.size() >= 4 * maxSamples) {
      for (int index = samples.size() - 1; index > 0; index -= 2) {
        samples.remove(index);
      }
      stride *= 2;
    }
  }

  /** The sample: at most as many as asked for, of the records that were taken. */
  List<StoreVerifier.RecordExtent> select() {
    List<StoreVerifier.RecordExtent> selected = new ArrayList<>();
    for (int index = 0; index < Math.min(maxSamples, samples.size()); index++) {
      selected.add(
          samples.get(
              (int) ((long) index * samples.size() / Math.min(maxSamples, samples.size()))));
    }
    return selected;
  }
}
