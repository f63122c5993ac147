package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.UUID;

/**
 * What a node says about its grid.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the id of the grid; all zero for none
 * @param isWritten whether it was written to
 * @param foundedMillis when it was founded
 * @param isAlive whether it can go on, because the node hears a majority
 * @param isReply whether this message answers another one
 * @param lineage the grids of which its grid is a fork
 * @param partitionHandling what nodes of its grid do that are cut off
 */
public record HelloMessage(
    UUID gridId,
    boolean isWritten,
    long foundedMillis,
    boolean isAlive,
    boolean isReply,
    GridLineage lineage,
    PartitionHandling partitionHandling)
    implements Message {
  /** The message of a node without a grid. */
  static final HelloMessage NO_GRID =
      new HelloMessage(
          Topology.NONE.gridId(),
          false,
          0,
          false,
          false,
          GridLineage.NONE,
          GridDefinition.NONE.partitionHandling());

  @Override
  public MessageKind kind() {
    return MessageKind.HELLO;
  }

  @Override
  public void write(Output out) {
    out.writeId(gridId);
    out.writeBoolean(isWritten);
    out.writeLong(foundedMillis);
    out.writeBoolean(isAlive);
    out.writeBoolean(isReply);
    lineage.write(out);
    out.writeEnum(partitionHandling);
  }

  /** Reads what {@link #write} wrote. */
  public static HelloMessage read(Input in) {
    return in.requireEndAfter(
        new HelloMessage(
            in.readId(),
            in.readBoolean(),
            in.readLong(),
            in.readBoolean(),
            in.readBoolean(),
            GridLineage.read(in),
            PartitionHandling.read(in)));
  }
}
