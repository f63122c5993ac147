package io.cantle.core.stream;

import java.util.Comparator;
import java.util.IdentityHashMap;

/**
 * Orders objects by when they were first compared. A sorted container whose comparator cannot
 * travel arrives with this one: its content keeps the order it was sent in.
 *
 * <p><b>Threading:</b> one thread at a time, like the container it orders.
 */
final class SentOrder implements Comparator<Object> {
  private final IdentityHashMap<Object, Integer> places = new IdentityHashMap<>();

  @Override
  public int compare(Object left, Object right) {
    // The right one is in the container already when the left one is added.
    int rightPlace = place(right);
    return Integer.compare(place(left), rightPlace);
  }

  private int place(Object object) {
    return places.computeIfAbsent(object, _ -> places.size());
  }
}
