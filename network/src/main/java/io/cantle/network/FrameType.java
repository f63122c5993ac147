package io.cantle.network;

import io.cantle.core.base.MalformedException;

/**
 * What a frame carries, once the connection is open. The order is the wire format.
 *
 * <p><b>Threading:</b> immutable.
 */
enum FrameType {
  /** A message of the layers above. */
  MESSAGE,
  /** Nothing; it shows that the sender is alive. */
  HEARTBEAT,
  /** Where other nodes of the grid listen: an {@link AddressList}. */
  ADDRESSES,
  /** Nothing; the sender leaves the network and is not to be looked for. */
  FAREWELL;

  /** How many bytes say the type of a frame. */
  static final int CODE_BYTES = 1;

  private static final FrameType[] ALL = values();

  /**
   * The type with this code.
   *
   * @throws MalformedException if there is none
   */
  static FrameType of(int code) {
    if (code >= ALL.length) {
      throw new MalformedException(
          "frame type " + code + " is unknown; the last is " + (ALL.length - 1));
    }
    return ALL[code];
  }

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  int code() {
    return ordinal();
  }
}
