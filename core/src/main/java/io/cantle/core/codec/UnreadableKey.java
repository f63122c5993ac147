package io.cantle.core.codec;

/**
 * Stands in an error for a key that this node cannot decode. It is no text, so that it is not taken
 * for a key that is one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param lengthBytes the length of the encoded key
 * @param reason why it cannot be decoded
 */
record UnreadableKey(int lengthBytes, String reason) {
  @Override
  public String toString() {
    return "a key of %s bytes that cannot be decoded: %s".formatted(lengthBytes, reason);
  }
}
