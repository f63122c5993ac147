package io.cantle.core.node;

import io.cantle.MembershipEvent;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A membership event as Java Flight Recorder records it. It costs nothing while nothing is
 * recorded.
 *
 * <p><b>Threading:</b> one thread.
 */
@Name(MembershipFlightEvent.NAME)
@Label("Membership")
@Description("A member has joined, left or is lost, or this node has lost or regained the majority")
@Category("Cantle")
@StackTrace(false)
final class MembershipFlightEvent extends Event {
  static final String NAME = "io.cantle.Membership";

  @Label("Grid")
  String grid = "";

  @Label("Node")
  @Description("The node that has learned of it")
  String node = "";

  @Label("Change")
  @Description("MemberJoined, MemberLeft, MemberLost, MajorityLost or MajorityRegained")
  String change = "";

  @Label("Member")
  @Description("The member that has joined, left or is lost")
  String member = "";

  @Label("Address")
  String address = "";

  @Label("Problem")
  @Description("Which voters a node without the majority misses, and what an operator can do")
  String problem = "";

  @Label("Members")
  @Description("How many members there are now")
  int memberCount;

  @Label("Voters")
  @Description("How many of them are voters")
  int voterCount;

  /** Records an event if a recording wants it. */
  static void record(String grid, String node, MembershipEvent event) {
    MembershipFlightEvent recorded = new MembershipFlightEvent();
    if (!recorded.isEnabled()) {
      return;
    }
    recorded.grid = grid;
    recorded.node = node;
    recorded.change = event.getClass().getSimpleName();
    switch (event) {
      case MembershipEvent.MemberJoined joined -> recorded.set(joined.member(), joined.address());
      case MembershipEvent.MemberLeft left -> recorded.set(left.member(), left.address());
      case MembershipEvent.MemberLost lost -> recorded.set(lost.member(), lost.address());
      case MembershipEvent.MajorityLost lost -> recorded.problem = lost.problem();
      case MembershipEvent.MajorityRegained _, MembershipEvent.EventsMissed _ -> {}
    }
    recorded.memberCount = event.members().size();
    recorded.voterCount = event.voterCount();
    recorded.commit();
  }

  private void set(String newMember, String newAddress) {
    member = newMember;
    address = newAddress;
  }
}
