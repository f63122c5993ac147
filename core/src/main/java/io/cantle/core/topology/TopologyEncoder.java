package io.cantle.core.topology;

import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Message;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages. A topology goes to all voters, then to all members, and may name many members
 * and segments, so its bytes are kept until another one is written.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link TopologyDriver}.
 */
final class TopologyEncoder {
  private @Nullable Topology topology;
  private int version;
  private byte[] bytes = new byte[0];

  /** Writes the body of a message. */
  void write(Message message, Output out) {
    switch (message) {
      case Topology one -> write(one, out);
      case RegisterMessage one -> one.write(out, this::write);
      default -> message.write(out);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Comparing two would take as long as encoding one.
  private void write(Topology next, Output out) {
    if (next != topology || out.version() != version) {
      Output encoded = new Output(1_024, out.version());
      next.write(encoded);
      bytes = encoded.toByteArray();
      topology = next;
      version = out.version();
    }
    out.write(bytes);
  }
}
