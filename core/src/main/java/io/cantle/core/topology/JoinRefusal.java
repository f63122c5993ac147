package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * Why a node is not let into a grid, as one that is in it tells.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param reason what kind of refusal it is
 * @param isFinal whether the grid goes on without this node for certain, and lacks nothing that it
 *     may hold
 * @param text for people: what is there, and what to do
 */
public record JoinRefusal(Reason reason, boolean isFinal, String text) {
  /** A kind of refusal. */
  public enum Reason {
    /** The teller is cut off itself. */
    CUT_OFF,
    /** Another process that is a member has the same store, or a copy of it. */
    SAME_NODE,
    /** The node was given up in a recovery. */
    GIVEN_UP,
    /** Its store is an old copy. */
    OUTDATED
  }

  private static final Reason[] REASONS = Reason.values();

  /** Whether what this node has promised or holds of its grid counts no more, or may not. */
  boolean fences() {
    return reason == Reason.GIVEN_UP || reason == Reason.OUTDATED;
  }

  /** Whether what the node has on disk counts no more: it may join as a new node, without. */
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
