package io.cantle.core.stream;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The first so many of the elements it is given, in some order: it never keeps more.
 *
 * <p><b>Threading:</b> one thread.
 */
final class First {
  private final int count;
  private final Comparator<Object> order;

  /** The last of those kept is its head. */
  private final PriorityQueue<Kept> kept;

  /** An element; a queue does not take null, and an order may. */
  private record Kept(@Nullable Object element) {}

  First(int count, Comparator<Object> order) {
    this.count = count;
    this.order = order;
    this.kept = new PriorityQueue<>((left, right) -> compare(right.element(), left.element()));
  }

  // Elements may be null where the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  private int compare(@Nullable Object left, @Nullable Object right) {
    return order.compare(left, right);
  }

  void add(@Nullable Object element) {
    if (kept.size() < count) {
      kept.add(new Kept(element));
    } else if (count > 0 && compare(element, kept.element().element()) < 0) {
      kept.remove();
      kept.add(new Kept(element));
    }
  }

  /** Those kept, in order. */
  // Elements may be null where the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  List<Object> inOrder() {
    List<Object> sorted = new ArrayList<>(kept.size());
    kept.forEach(one -> sorted.add(one.element()));
    sorted.sort(order);
    return sorted;
  }
}
