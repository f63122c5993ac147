package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.UUID;

/**
 * One life of a node in a grid: a node that starts again is another member. Two members are the
 * same when their ids are.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param id unique for each start of a node, chosen by its transport
 * @param nodeId the same for all lives of a node that has a store, and of this one only if it has
 *     none: then it is the id
 * @param name what people call the node; shown in messages, never compared
 */
public record Member(UUID id, UUID nodeId, String name) implements Comparable<Member> {

  /** A life of a node without a store. */
  public Member(UUID id, String name) {
    this(id, id, name);
  }

  /** Whether its node has a store, so that another life of it may bring back what this one held. */
  public boolean hasStore() {
    return !nodeId.equals(id);
  }

  /** Whether both are lives of one node. */
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

  /** Writes the id and the name. */
  public void write(Output out) {
    out.writeId(id);
    out.writeId(nodeId);
    out.writeString(name);
  }

  /** Reads what {@link #write} wrote. */
  public static Member read(Input in) {
    return new Member(in.readId(), in.readId(), in.readString());
  }
}
