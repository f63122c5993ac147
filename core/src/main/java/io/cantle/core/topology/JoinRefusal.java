package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * Why a node is not admitted to a grid, as a member of that grid tells it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param reason the kind of refusal
 * @param isFinal whether the grid certainly goes on without this node, and lacks nothing that it
 *     may hold
 * @param text for people: what is the matter, and what to do
 */
public record JoinRefusal(Reason reason, boolean isFinal, String text) {
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

  private static final Reason[] REASONS = Reason.values();

  /**
   * Whether what this node has promised or holds of its grid does not count any more, or may not.
   */
  boolean fences() {
    return reason == Reason.GIVEN_UP || reason == Reason.OUTDATED;
  }

  /**
   * Whether what the node has on disk does not count any more: it may join as a new node, without
   * it.
   */
  public boolean makesStoreWorthless() {
    return isFinal && fences();
  }

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  void write(Output out) {
    out.writeByte(reason.ordinal());
    out.writeBoolean(isFinal);
    out.writeString(text);
  }

  static JoinRefusal read(Input in) {
    int code = in.readByte();
    if (code < 0 || code >= REASONS.length) {
      throw new MalformedException("reason " + code + " of a refusal is unknown");
    }
    return new JoinRefusal(REASONS[code], in.readBoolean(), in.readString());
  }
}
