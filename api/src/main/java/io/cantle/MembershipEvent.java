package io.cantle;

import java.util.List;

/**
 * A change of the members of a grid, or of whether this node reaches their majority. A listener of
 * {@link Grid#onMembership} is given each, as this node learns of it: a node that was cut off
 * learns late, and then of all at once.
 *
 * <p>The same events are logged at INFO, and recorded by Java Flight Recorder as {@code
 * io.cantle.Membership}.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface MembershipEvent {

  /** The names of the members after the event; the member of longest standing comes first. */
  List<String> members();

  /** How many of them are voters, whose majority decides what happens in the grid. */
  int voterCount();

  /**
   * A node is a member now: a new one, or one that was excluded or has restarted.
   *
   * @param member its {@link Grid#nodeName name}
   * @param address where it listens, as {@code host:port}; empty if that is not known
   */
  record MemberJoined(String member, String address, List<String> members, int voterCount)
      implements MembershipEvent {
    /** Copies the list. */
    public MemberJoined {
      members = List.copyOf(members);
    }
  }

  /** A member has left by {@link Grid#close}, after others had taken over what it held. */
  record MemberLeft(String member, String address, List<String> members, int voterCount)
      implements MembershipEvent {
    /** Copies the list. */
    public MemberLeft {
      members = List.copyOf(members);
    }
  }

  /**
   * A member was excluded: the majority has not heard of it for more than a second. It has crashed,
   * is cut off, or stood still, and may be back. If it is this node, it asks to be admitted again.
   */
  record MemberLost(String member, String address, List<String> members, int voterCount)
      implements MembershipEvent {
    /** Copies the list. */
    public MemberLost {
      members = List.copyOf(members);
    }
  }

  /**
   * This node has not reached the majority for 3 s. What follows depends on {@link
   * GridConfig#whenCut}.
   *
   * @param problem which voters are missing, and what an operator can do; empty if cut-off members
   *     go on
   */
  record MajorityLost(String problem, List<String> members, int voterCount)
      implements MembershipEvent {
    /** Copies the list. */
    public MajorityLost {
      members = List.copyOf(members);
    }
  }

  /**
   * This node reaches the majority again. With {@link WhenCut.Available} it may be that of its own
   * side of a partition.
   */
  record MajorityRegained(List<String> members, int voterCount) implements MembershipEvent {
    /** Copies the list. */
    public MajorityRegained {
      members = List.copyOf(members);
    }
  }

  /**
   * The listener was too slow: 1,024 events waited for it, and those after them were dropped. It
   * gets the next one that happens, after this.
   *
   * @param count how many events it was not given
   */
  record EventsMissed(long count, List<String> members, int voterCount) implements MembershipEvent {
    /** Copies the list. */
    public EventsMissed {
      members = List.copyOf(members);
    }
  }
}
