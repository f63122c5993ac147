package io.cantle.bench;

import java.util.Locale;

/**
 * The products compared, in the order they take turns.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Product {
  /** What the others are compared with. */
  CANTLE,
  /** Infinispan. */
  INFINISPAN,
  /** Hazelcast. */
  HAZELCAST;

  /** How it is named on the command line, in tables and files; also the folder of its driver. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
