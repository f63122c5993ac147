package io.cantle.core.node;

import io.cantle.GridException;

/**
 * Thrown when a node is not admitted to its grid with its store. The store does not count any more,
 * and the grid lacks nothing of it. The node may join as a new node, with an empty store.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class StoreRefusedException extends GridException {
  private static final long serialVersionUID = 1;

  StoreRefusedException(String message) {
    super(message);
  }
}
