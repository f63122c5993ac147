package io.cantle.bench;

import java.util.List;
import java.util.Locale;

/**
 * The products compared, in the order they take turns.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Product {
  /** What the others are compared with. */
  CANTLE,
  /** Cantle as another checkout has it, which {@code --baseline} names. */
  BASELINE,
  /** Infinispan. */
  INFINISPAN,
  /** Hazelcast. */
  HAZELCAST;

  /** Those whose drivers are built with this checkout. */
  static List<Product> ofThisCheckout() {
    return List.of(CANTLE, INFINISPAN, HAZELCAST);
  }

  /** How it is named on the command line, in tables and files; also the folder of its driver. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
