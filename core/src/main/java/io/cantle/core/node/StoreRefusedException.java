package io.cantle.core.node;

import io.cantle.GridException;

/**
 * A node was not let into its grid with the store it has: what is in that counts no more, and the
 * grid lacks nothing of it. It may join as a new node, with an empty store.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class StoreRefusedException extends GridException {
  private static final long serialVersionUID = 1;

  StoreRefusedException(String message) {
    super(message);
  }
}
