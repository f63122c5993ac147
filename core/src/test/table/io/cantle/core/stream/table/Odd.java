package io.cantle.core.stream.table;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Functions for the table's lambdas that are not pure, or do not fit the types as annotated here.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Odd {
  private static final Set<Object> SEEN = ConcurrentHashMap.newKeySet();

  private Odd() {}

  /** Returns the number, or null for every third. */
  // The JDK allows a function to return null, though its types as annotated here do not say so.
  @SuppressWarnings("NullAway")
  static Integer orNull(Integer number) {
    return number % 3 == 0 ? null : number;
  }

  /** Returns null for any number. */
  @SuppressWarnings("NullAway")
  static Integer none(Integer number) {
    return null;
  }

  /** Fails on one number. */
  static int failing(int number) {
    if (number == 40) {
      throw new UnsupportedOperationException("the number 40");
    }
    return number;
  }

  /**
   * Records an element that was seen. The owners of the table's entries are nodes of this process.
   */
  static void recordSeen(Object element) {
    SEEN.add(element);
  }

  /**
   * Returns what is seen while something runs. Each element counts once, because functions may run
   * again.
   */
  static Set<Object> seenDuring(Runnable run) {
    SEEN.clear();
    run.run();
    return Set.copyOf(SEEN);
  }

  /** Returns what is passed to a consumer while something runs. */
  static Set<Object> consumedDuring(Consumer<Consumer<Object>> run) {
    Set<Object> taken = ConcurrentHashMap.newKeySet();
    run.accept(taken::add);
    return taken;
  }
}
