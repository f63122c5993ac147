package io.cantle.simulation.walk;

import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import java.util.List;

/**
 * The caches of a walk, and their segments counted from 0 over all of them.
 *
 * <p><b>Threading:</b> immutable.
 */
record CacheLayout(List<CacheDefinition> caches) {

  CacheLayout {
    caches = List.copyOf(caches);
  }

  int segments() {
    return index(caches.size(), 0);
  }

  int index(int cache, int segment) {
    int index = segment;
    for (int before = 0; before < cache; before++) {
      index += caches.get(before).config().segments();
    }
    return index;
  }

  /** Returns the cache of a segment. */
  CacheDefinition cache(int index) {
    return caches.get(place(index));
  }

  SegmentOwnership ownership(Topology topology, int index) {
    int place = place(index);
    return topology.ownership(place, index - index(place, 0));
  }

  private int place(int index) {
    int place = 0;
    while (index >= index(place + 1, 0)) {
      place++;
    }
    return place;
  }
}
