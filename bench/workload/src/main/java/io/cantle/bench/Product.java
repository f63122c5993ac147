package io.cantle.bench;

import java.util.List;
import java.util.Locale;

/**
 * The products that are compared, in the order they take turns.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Product {
  /** The product with which the others are compared. */
  CANTLE,
  /** Cantle as in another checkout, which {@code --baseline} names. */
  BASELINE,
  /** Infinispan. */
  INFINISPAN,
  /** Hazelcast. */
  HAZELCAST;

  /** Returns the products whose drivers are built with this checkout. */
  static List<Product> ofThisCheckout() {
    return List.of(CANTLE, INFINISPAN, HAZELCAST);
  }

  /** Returns its name on the command line, in tables and files; also the folder of its driver. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
