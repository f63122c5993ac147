package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.UUID;

/**
 * Why a node is not admitted to a grid, as a member of that grid tells it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param reason the kind of refusal
 * @param gridId the grid that refuses
 * @param nodeId the node that is refused
 * @param incarnation the incarnation of the node that is refused
 * @param isFinal whether the grid certainly goes on without this node, and lacks nothing that it
 *     may hold
 * @param text for people: what is the matter, and what to do
 */
public record JoinRefusal(
    Reason reason, UUID gridId, UUID nodeId, UUID incarnation, boolean isFinal, String text)
    implements Message {
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

  @Override
  public MessageKind kind() {
    return MessageKind.REFUSED;
  }

  @Override
  public void write(Output out) {
    out.writeEnum(reason);
    out.writeId(gridId);
    out.writeId(nodeId);
    out.writeId(incarnation);
    out.writeBoolean(isFinal);
    out.writeString(text);
  }

  /** Reads what {@link #write} wrote. */
  public static JoinRefusal read(Input in) {
    return in.requireEndAfter(
        new JoinRefusal(
            in.readEnum(Reason.values()),
            in.readId(),
            in.readId(),
            in.readId(),
            in.readBoolean(),
            in.readString()));
  }
}
