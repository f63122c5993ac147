package io.cantle.core.agreement;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;

/**
 * Tells a node which topology is decided.
 *
 * <p><b>Threading:</b> immutable.
 */
public record TopologyNotice(Topology topology) implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.TOPOLOGY;
  }

  @Override
  public void write(Output out) {
    topology.write(out);
  }

  /** Reads what {@link #write} wrote. */
  public static TopologyNotice read(Input in) {
    return in.requireEndAfter(new TopologyNotice(Topology.read(in)));
  }
}
