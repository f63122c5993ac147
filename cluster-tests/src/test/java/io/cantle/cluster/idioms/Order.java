package io.cantle.cluster.idioms;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A value of the maps: an order of a shop. */
public record Order(
    int id, String city, String item, int quantity, double price, List<String> tags) {
  private static final List<String> CITIES = List.of("Oslo", "Rome", "Bern", "Lima", "Cairo");
  private static final List<String> ITEMS = List.of("pen", "ink", "paper", "lamp");

  /** The orders with the ids from 0. */
  public static Map<Integer, Order> some(int count) {
    Map<Integer, Order> orders = new TreeMap<>();
    for (int id = 0; id < count; id++) {
      orders.put(id, of(id));
    }
    return orders;
  }

  /** An order like any other. */
  public static Order of(Integer id) {
    return new Order(
        id,
        CITIES.get(id % CITIES.size()),
        ITEMS.get(id * 7 % ITEMS.size()),
        id * 31 % 17,
        id * 13 % 40 / 4.0,
        id % 3 == 0 ? List.of() : List.of("tag" + id % 4, "tag" + id % 5));
  }

  /** What it costs. */
  public double total() {
    return quantity * price;
  }

  /** Whether it is about a few pieces. */
  public boolean isSmall() {
    return quantity < 5;
  }

  /** An order for more of the same. */
  public Order withQuantity(int other) {
    return new Order(id, city, item, other, price, tags);
  }

  /** The order for what both are about. */
  public static Order sum(Order left, Order right) {
    return left.withQuantity(left.quantity + right.quantity);
  }
}
