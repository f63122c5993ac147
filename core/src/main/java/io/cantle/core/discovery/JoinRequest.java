package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.UUID;

/**
 * A node asks to be admitted.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the grid that the node is in already; all zero for none
 * @param capacity how much it is to own beside others
 * @param partitionHandling what nodes of its grid are to do that are cut off
 */
public record JoinRequest(UUID gridId, MemberCapacity capacity, PartitionHandling partitionHandling)
    implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.JOIN;
  }

  @Override
  public void write(Output out) {
    out.writeId(gridId);
    capacity.write(out);
    out.writeEnum(partitionHandling);
  }

  /** Reads what {@link #write} wrote. */
  public static JoinRequest read(Input in) {
    return in.requireEndAfter(
        new JoinRequest(in.readId(), MemberCapacity.read(in), PartitionHandling.read(in)));
  }
}
