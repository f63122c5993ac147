package io.cantle.spi;

import io.cantle.Grid;
import io.cantle.GridConfig;

/**
 * Makes grids: the bridge from the api to the engine, found by {@link java.util.ServiceLoader}.
 * Users do not call it.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface GridProvider {

  /**
   * Starts a node and joins the grid.
   *
   * @param config everything the node needs to know
   * @param loader where the classes of stored objects and lambdas are looked up
   */
  Grid join(GridConfig config, ClassLoader loader);

  /** Starts a node that is alone and opens no socket. */
  Grid local(GridConfig config, ClassLoader loader);
}
