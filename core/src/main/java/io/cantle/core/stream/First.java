package io.cantle.core.stream;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The first so many of the elements it is given, in some order: it never keeps more.
 *
 * <p><b>Threading:</b> one thread.
 */
final class First {
  private final int count;
  private final Comparator<Object> order;

  /** The last of those kept is its head. */
  private final PriorityQueue<Object> kept;

  First(int count, Comparator<Object> order) {
    this.count = count;
    this.order = order;
    this.kept = new PriorityQueue<>(order.reversed());
  }

  void add(Object element) {
    if (kept.size() < count) {
      kept.add(element);
    } else if (count > 0 && order.compare(element, kept.element()) < 0) {
      kept.remove();
      kept.add(element);
    }
  }

  /** Those kept, in order. */
  List<Object> inOrder() {
    List<Object> sorted = new ArrayList<>(kept);
    sorted.sort(order);
    return sorted;
  }
}
