package io.cantle.core.transport;

/**
 * The response to a request. Its receiver knows from the request what it reads.
 *
 * <p><b>Threading:</b> immutable.
 */
public interface Response extends Message {
  @Override
  default MessageKind kind() {
    return MessageKind.RESPONSE;
  }
}
