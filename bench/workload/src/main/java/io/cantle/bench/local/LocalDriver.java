package io.cantle.bench.local;

import java.util.concurrent.ConcurrentMap;

/**
 * Opens local maps of one product. A module implements it and is found by {@link
 * java.util.ServiceLoader} on that product's class path.
 *
 * <p><b>Threading:</b> one thread.
 */
public interface LocalDriver {

  /**
   * Opens an empty map that exists only in this process, as the product advises. It lives as long
   * as the JVM.
   *
   * @param segments into how many segments its keys are divided, where the product has any
   */
  <V> ConcurrentMap<String, V> open(String name, int segments);
}
