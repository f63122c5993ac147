package io.cantle.core.partition;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.UUID;

/**
 * A member tells others that it reaches no majority.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the grid of the member
 * @param topologyNumber the topology that it has adopted
 */
public record CutOffNotice(UUID gridId, long topologyNumber) implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.CUT_OFF;
  }

  @Override
  public void write(Output out) {
    out.writeId(gridId);
    out.writeLong(topologyNumber);
  }

  /** Reads what {@link #write} wrote. */
  public static CutOffNotice read(Input in) {
    return in.requireEndAfter(new CutOffNotice(in.readId(), in.readLong()));
  }
}
