package io.cantle.store.segment;

import java.util.ArrayList;
import java.util.List;

/**
 * Some of many records, evenly from the first to the last: each one at first, every second once
 * there are too many, and so on.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Samples {
  private final int most;
  private final List<StoreCheck.Place> places = new ArrayList<>();
  private long stride = 1;
  private long seen;

  Samples(int most) {
    this.most = most;
  }

  void add(String file, long offset, long length, int cache, int segment) {
    if (seen++ % stride != 0 || most == 0) {
      return;
    }
    places.add(new StoreCheck.Place(file, offset, length, cache, segment));
    if (places.size() >= 4 * most) {
      for (int index = places.size() - 1; index > 0; index -= 2) {
        places.remove(index);
      }
      stride *= 2;
    }
  }

  /** At most as many as asked for, of those that were taken. */
  List<StoreCheck.Place> some() {
    List<StoreCheck.Place> some = new ArrayList<>();
    for (int index = 0; index < Math.min(most, places.size()); index++) {
      some.add(places.get((int) ((long) index * places.size() / Math.min(most, places.size()))));
    }
    return some;
  }
}
