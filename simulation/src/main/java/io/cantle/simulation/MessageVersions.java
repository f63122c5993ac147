package io.cantle.simulation;

/**
 * Whether some nodes are of the next build, which speaks one version more.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class MessageVersions {
  private static final int VERSION_BITS = 0x3F;
  private static final int NEXT_VERSION = 8;

  private MessageVersions() {}

  /** Returns whether the next build is planted in this process: an edit of this method says so. */
  static boolean hasNextBuild() {
    return false;
  }

  /** Returns whether a message is of the next version. */
  static boolean isNext(byte[] message) {
    return (message[0] & VERSION_BITS) == NEXT_VERSION;
  }
}
