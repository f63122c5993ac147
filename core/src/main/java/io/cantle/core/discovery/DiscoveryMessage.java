package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.UUID;

/**
 * A message by which nodes find into one grid.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface DiscoveryMessage extends Message {
  /**
   * What a node says about its grid.
   *
   * @param gridId the id of the grid; all zero for none
   * @param isWritten whether it was written to
   * @param foundedMillis when it was founded
   * @param isAlive whether it can go on, because the node hears a majority
   * @param isReply whether this message answers another one
   * @param lineage the grids of which its grid is a fork
   * @param partitionHandling what nodes of its grid do that are cut off
   */
  record HelloMessage(
      UUID gridId,
      boolean isWritten,
      long foundedMillis,
      boolean isAlive,
      boolean isReply,
      GridLineage lineage,
      PartitionHandling partitionHandling)
      implements DiscoveryMessage {}

  /**
   * A node asks to be admitted.
   *
   * @param gridId the grid that the node is in already; all zero for none
   * @param capacity how much it is to own beside others
   * @param partitionHandling what nodes of its grid are to do that are cut off
   */
  record JoinRequest(UUID gridId, MemberCapacity capacity, PartitionHandling partitionHandling)
      implements DiscoveryMessage {}

  /**
   * Why a node is not admitted to a grid, as a member of that grid tells it.
   *
   * @param reason the kind of refusal
   * @param gridId the grid that refuses
   * @param nodeId the node that is refused
   * @param incarnation the incarnation of the node that is refused
   * @param isFinal whether the grid certainly goes on without this node, and lacks nothing that it
   *     may hold
   * @param text for people: what is the matter, and what to do
   */
  record JoinRefusal(
      Reason reason, UUID gridId, UUID nodeId, UUID incarnation, boolean isFinal, String text)
      implements DiscoveryMessage {
    /** A kind of refusal. */
    public enum Reason {
      /** The member that refuses is cut off itself. */
      CUT_OFF,
      /** Another process, which is a member, has the same store or a copy of it. */
      SAME_NODE,
      /** The node was given up in a recovery. */
      GIVEN_UP,
      /** The node's store is an old copy. */
      OUTDATED
    }

    /** Whether this refusal is for a node, in the incarnation that runs. */
    boolean isAddressedTo(Member node) {
      return nodeId.equals(node.nodeId()) && incarnation.equals(node.id());
    }

    /**
     * Whether what this node has promised or holds of its grid does not count any more, or may not.
     */
    boolean invalidatesPromises() {
      return reason == Reason.GIVEN_UP || reason == Reason.OUTDATED;
    }

    /**
     * Whether what the node has on disk does not count any more: it may join as a new node, without
     * it.
     */
    boolean invalidatesStore() {
      return isFinal && invalidatesPromises();
    }
  }

  /**
   * Shows how far a node's store has come.
   *
   * @param isWhole whether the history has all incarnations, and not only the present one
   */
  record StoreHistoryReport(boolean isWhole, StoreHistory history) implements DiscoveryMessage {}

  @Override
  default MessageKind kind() {
    return switch (this) {
      case HelloMessage _ -> MessageKind.HELLO;
      case JoinRequest _ -> MessageKind.JOIN;
      case JoinRefusal _ -> MessageKind.REFUSED;
      case StoreHistoryReport _ -> MessageKind.HISTORY;
    };
  }

  @Override
  default void write(Output out) {
    switch (this) {
      case HelloMessage hello -> {
        out.writeId(hello.gridId);
        out.writeBoolean(hello.isWritten);
        out.writeLong(hello.foundedMillis);
        out.writeBoolean(hello.isAlive);
        out.writeBoolean(hello.isReply);
        hello.lineage.write(out);
        out.writeEnum(hello.partitionHandling);
      }
      case JoinRequest(UUID gridId, MemberCapacity capacity, PartitionHandling handling) -> {
        out.writeId(gridId);
        capacity.write(out);
        out.writeEnum(handling);
      }
      case JoinRefusal refusal -> {
        out.writeEnum(refusal.reason);
        out.writeId(refusal.gridId);
        out.writeId(refusal.nodeId);
        out.writeId(refusal.incarnation);
        out.writeBoolean(refusal.isFinal);
        out.writeString(refusal.text);
      }
      case StoreHistoryReport(boolean isWhole, StoreHistory history) -> {
        out.writeBoolean(isWhole);
        history.write(out);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  static DiscoveryMessage read(MessageKind kind, Input in) {
    return in.requireEndAfter(
        switch (kind) {
          case HELLO ->
              new HelloMessage(
                  in.readId(),
                  in.readBoolean(),
                  in.readLong(),
                  in.readBoolean(),
                  in.readBoolean(),
                  GridLineage.read(in),
                  in.readEnum(PartitionHandling.values()));
          case JOIN ->
              new JoinRequest(
                  in.readId(), MemberCapacity.read(in), in.readEnum(PartitionHandling.values()));
          case REFUSED ->
              new JoinRefusal(
                  in.readEnum(JoinRefusal.Reason.values()),
                  in.readId(),
                  in.readId(),
                  in.readId(),
                  in.readBoolean(),
                  in.readString());
          case HISTORY -> new StoreHistoryReport(in.readBoolean(), StoreHistory.read(in));
          default -> throw new IllegalArgumentException(kind + " is not about finding a grid");
        });
  }
}
