package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.PrintableText;
import java.util.UUID;

/**
 * One incarnation of a node in a grid: a restarted node is another member. Two members are equal if
 * their ids are equal.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param id unique for each start of a node, chosen by its transport
 * @param nodeId the same for all incarnations of a node that has a store; for a node without a
 *     store it equals {@code id}
 * @param name the name of the node for people; shown in messages, never compared
 */
public record Member(UUID id, UUID nodeId, String name) implements Comparable<Member> {
  /** The longest name that is shown of another node. */
  private static final int MAX_NAME_CHARS = 100;

  /** Creates a member for a node without a store. */
  public Member(UUID id, String name) {
    this(id, id, name);
  }

  /** Whether the node has a store, so that a restart may bring back what this incarnation held. */
  public boolean hasStore() {
    return !nodeId.equals(id);
  }

  /** Whether both members are incarnations of one node. */
  public boolean isSameNode(Member other) {
    return nodeId.equals(other.nodeId);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Member member && id.equals(member.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public int compareTo(Member other) {
    return id.compareTo(other.id);
  }

  @Override
  public String toString() {
    return name;
  }

  /** Writes both ids and the name. */
  public void write(Output out) {
    out.writeId(id);
    out.writeId(nodeId);
    out.writeString(name);
  }

  /** Reads what {@link #write} wrote. */
  public static Member read(Input in) {
    // The name is only shown, and another node has chosen it.
    return new Member(in.readId(), in.readId(), PrintableText.of(in.readString(), MAX_NAME_CHARS));
  }
}
