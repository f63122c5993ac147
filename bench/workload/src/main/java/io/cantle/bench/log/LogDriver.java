package io.cantle.bench.log;

import java.io.IOException;

/**
 * A driver that opens the logs of one product. A module implements it for one product and is found
 * by {@link java.util.ServiceLoader} on that product's class path.
 *
 * <p><b>Threading:</b> one thread.
 */
public interface LogDriver {

  /** Returns the version of the product, as the product names it. */
  String version();

  /**
   * Opens a new log in an empty folder.
   *
   * @throws UnsupportedOperationException if a delay is asked for and the product has no place for
   *     it
   */
  LogUnderTest open(LogSetting setting) throws IOException;
}
