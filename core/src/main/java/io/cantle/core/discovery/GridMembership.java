package io.cantle.core.discovery;

import io.cantle.core.ownership.Topology;

/**
 * What discovery asks about this node's grid.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public interface GridMembership {
  /** The topology adopted last. */
  Topology current();

  /**
   * Whether this node is to become a member if it is not one. A leaving node is, as long as it
   * holds something.
   */
  boolean wantsMembership();

  /**
   * Whether this node took part in no write of its grid, knows of none, and has accepted no
   * topology that allows one.
   */
  boolean knowsOfNoWrite();

  /**
   * Whether this node holds nothing and can do nothing: it is cut off, and knows of no write. If
   * others show that they are not in its grid, it may forget the grid, like a node that stops. That
   * happens when several nodes found a grid at the same moment.
   */
  boolean holdsNothing();

  /** Whether this node has found no majority for so long that it is cut off. */
  boolean isLapsed();

  /** Whether that was so long ago that this node waits only for members that are visible. */
  boolean isLongLapsed();

  /** Whether this node is about to be in a grid. */
  boolean isEntering();
}
