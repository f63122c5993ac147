package io.cantle;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Functions that are sent by name, so that nodes with different versions of the code understand
 * each other. Any other lambda is sent as its place in the class that made it, which the next
 * version may not have. A node that receives a name runs the function registered there under it, so
 * register a function on every node before any node uses it.
 *
 * <p>A function is recognised by object identity. Keep it in a constant, and use that constant:
 *
 * <pre>{@code
 * static final SerializablePredicate<Order> BUSY = order -> order.lines() > 10;
 *
 * Grid grid = Grid.join(GridConfig.named("shop").function("busy", BUSY));
 * Cache<String, Order> orders = grid.cache("orders");
 * orders.values().stream().filter(BUSY).count(); // "busy" is sent
 * orders.values().stream().filter(order -> order.lines() > 10).count(); // a place in the code
 * }</pre>
 *
 * <p>A registered function is also recognised where another function captures it in a variable of
 * its own. Captured within a collection or an object, it is recognised if it is a lambda.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param byName at most 10,000 functions by their names: 1 to 100 letters, digits, dots, dashes and
 *     underscores, a letter or digit first. Each is a lambda, a method reference or an object of a
 *     type of {@code java.util.function}, a {@code Comparator}, {@code Runnable} or {@code
 *     Callable}, serializable or not, and has one name
 */
public record NamedFunctions(Map<String, Object> byName) {
  private static final int MAX_FUNCTIONS = 10_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  /** No functions. */
  public static final NamedFunctions NONE = new NamedFunctions(Map.of());

  /** Checks every name, and that no function has two. */
  public NamedFunctions {
    byName = Map.copyOf(byName);
    if (byName.size() > MAX_FUNCTIONS) {
      throw new IllegalArgumentException(
          byName.size() + " functions are registered, and the limit is " + MAX_FUNCTIONS);
    }
    IdentityHashMap<Object, String> names = new IdentityHashMap<>();
    new TreeMap<>(byName).forEach((name, function) -> check(name, names.put(function, name)));
  }

  /**
   * Returns these functions and one more.
   *
   * @throws IllegalArgumentException if the name is invalid or taken, or the function has a name
   *     already
   */
  public NamedFunctions with(String name, Object function) {
    Map<String, Object> more = new HashMap<>(byName);
    if (more.put(name, function) != null) {
      throw new IllegalArgumentException(
          "a function named \"" + name + "\" is registered already: take another name");
    }
    return new NamedFunctions(more);
  }

  private static void check(String name, @Nullable String other) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is not a valid name of a function: it must match " + NAME);
    }
    if (other != null) {
      throw new IllegalArgumentException(
          "the functions named \"%s\" and \"%s\" are the same object, ".formatted(other, name)
              + "which can have only one name: register it once");
    }
  }
}
