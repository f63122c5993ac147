package io.cantle.spi;

import io.cantle.Grid;
import io.cantle.GridConfig;

/**
 * Starts nodes. It is the bridge from the API to the engine, found by {@link
 * java.util.ServiceLoader}, so that users compile against the API alone. Users do not call it.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface GridProvider {

  /**
   * Starts a node and joins the grid.
   *
   * @param config everything the node needs to know
   * @param loader the class loader that finds the classes of stored objects and lambdas
   */
  Grid join(GridConfig config, ClassLoader loader);

  /** Starts a node that is alone in its grid and opens no socket. */
  Grid local(GridConfig config, ClassLoader loader);
}
