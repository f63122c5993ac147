package io.cantle.core.transport;

import io.cantle.core.base.Output;

/**
 * A message as the transport sees it: a kind, and a body that can be written.
 *
 * <p><b>Threading:</b> immutable.
 */
public interface Message {

  /** The kind, which is sent before the body. */
  MessageKind kind();

  /** About how many bytes the body takes: the memory that is allocated for it first. */
  default int expectedBytes() {
    return 64;
  }

  /** Writes the body. */
  void write(Output out);
}
