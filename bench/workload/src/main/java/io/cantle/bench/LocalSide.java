package io.cantle.bench;

import java.util.Locale;

/**
 * The sides of {@code bench local}, in the order of a round.
 *
 * <p><b>Threading:</b> immutable.
 */
enum LocalSide {
  /** A local cache with its default number of segments. */
  CANTLE(Product.CANTLE, 256),
  /** A local cache of one segment. */
  ONE_SEGMENT(Product.CANTLE, 1),
  /** A local cache of Infinispan. */
  INFINISPAN(Product.INFINISPAN, 1),
  /** A {@link java.util.concurrent.ConcurrentHashMap}. */
  JDK(Product.CANTLE, 1);

  private final Product product;
  private final int segments;

  LocalSide(Product product, int segments) {
    this.product = product;
    this.segments = segments;
  }

  /** Returns the product whose class path the JVM of a round has. */
  Product product() {
    return product;
  }

  /** Returns into how many segments the keys are divided. */
  int segments() {
    return segments;
  }

  /** Returns its name in tables and files, and for the program of a round. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
