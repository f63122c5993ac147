package io.cantle.core.stream.table;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * What lambdas of the table call that is not pure, or not fit for the types as they are read here.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Odd {
  private static final Set<Object> SEEN = ConcurrentHashMap.newKeySet();

  private Odd() {}

  /** A number, or null instead of every third. */
  // The JDK lets a function return null, though its types as read here do not say so.
  @SuppressWarnings("NullAway")
  static Integer orNull(Integer number) {
    return number % 3 == 0 ? null : number;
  }

  /** Null for any number. */
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

  /** Notes what was seen: the owners of the table's entries are nodes of this process. */
  static void see(Object element) {
    SEEN.add(element);
  }

  /** What is seen while something runs; each counts once, for functions may run again. */
  static Set<Object> seen(Runnable run) {
    SEEN.clear();
    run.run();
    return Set.copyOf(SEEN);
  }

  /** What is handed to a consumer while something runs. */
  static Set<Object> taken(Consumer<Consumer<Object>> run) {
    Set<Object> taken = ConcurrentHashMap.newKeySet();
    run.accept(taken::add);
    return taken;
  }
}
