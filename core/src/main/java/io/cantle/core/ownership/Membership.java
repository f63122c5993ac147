package io.cantle.core.ownership;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The members of a grid as one topology names them, and the voters among them, which decide the
 * next topology.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param members the members of the grid, the longest-standing first
 * @param admissionNumbers for each member the number of the topology that admitted it; a member
 *     that was excluded and returns is admitted anew
 * @param capacities for each member how much it is to hold, and its rack, as it stated when it
 *     asked to be admitted
 * @param voters the members a majority of which decides the next topology
 * @param votersSinceNumber the number of the topology since which the voters have been these
 * @param leaving the members that are leaving and are handing over what they hold
 * @param released the ids of the former members that were let go when nothing depended on them any
 *     more, the last ones last; every other former member was excluded. So a node that missed the
 *     topologies in between tells the same of a member that is gone as all others
 */
public record Membership(
    List<Member> members,
    List<Long> admissionNumbers,
    List<MemberCapacity> capacities,
    List<Member> voters,
    long votersSinceNumber,
    List<Member> leaving,
    List<UUID> released) {

  /** The most voters there may be; with seven, the grid survives the loss of three. */
  static final int MAX_VOTERS = 7;

  /** Of more released members, only those are remembered that the last topology let go. */
  static final int MAX_RELEASED = 64;

  /** The membership before there is a grid: no members. */
  public static final Membership NONE =
      new Membership(List.of(), List.of(), List.of(), List.of(), 0, List.of(), List.of());

  /** Copies the lists. */
  public Membership {
    members = List.copyOf(members);
    admissionNumbers = List.copyOf(admissionNumbers);
    capacities = List.copyOf(capacities);
    voters = List.copyOf(voters);
    leaving = List.copyOf(leaving);
    released = List.copyOf(released);
    if (members.size() != admissionNumbers.size() || members.size() != capacities.size()) {
      throw new IllegalArgumentException(
          "%s members have %s admissions and %s seats"
              .formatted(members.size(), admissionNumbers.size(), capacities.size()));
    }
  }

  /** Returns the membership of the founders of a grid, all admitted by its first topology. */
  public static Membership ofFounders(
      List<Member> members, Function<? super Member, MemberCapacity> seats, boolean oldestDecides) {
    return NONE.withChanges(1, members, seats, List.of(), oldestDecides, member -> true, false);
  }

  /** The number of the topology that last admitted a member; 0 if it is not a member. */
  public long admissionNumber(Member member) {
    int place = members.indexOf(member);
    return place < 0 ? 0 : admissionNumbers.get(place);
  }

  /** How much a member is to hold, and its rack. */
  public MemberCapacity capacityOf(Member member) {
    int place = members.indexOf(member);
    return place < 0 ? MemberCapacity.DEFAULT : capacities.get(place);
  }

  /** Whether a former member was let go, and not excluded, as far as that is remembered. */
  public boolean isReleased(Member gone) {
    return released.contains(gone.id());
  }

  /** Whether this many voters are more than half of them. */
  public boolean isMajority(int count) {
    return count > voters.size() / 2;
  }

  /** Whether a member's node is a voter, in this incarnation or another. */
  public boolean isVoter(Member member) {
    return voters.stream().anyMatch(member::isSameNode);
  }

  /** Whether the condition holds for more than half of the voters. */
  public boolean isMajority(Predicate<Member> holds) {
    return isMajority((int) voters.stream().filter(holds).count());
  }

  /**
   * Returns the membership of a later topology.
   *
   * @param number the number of that topology
   * @param newcomers the capacities of nodes that are not members yet
   * @param mayVote whether a member that is not a voter yet may become one
   * @param lasting whether only members whose nodes have stores are to vote, if there are any. A
   *     node without a store does not remember after a restart what was decided
   */
  Membership withChanges(
      long number,
      List<Member> present,
      Function<? super Member, MemberCapacity> newcomers,
      List<Member> nowLeaving,
      boolean oldestDecides,
      Predicate<Member> mayVote,
      boolean lasting) {
    List<Long> admitted = new ArrayList<>(present.size());
    List<MemberCapacity> nextCapacities = new ArrayList<>(present.size());
    for (Member member : present) {
      long before = admissionNumber(member);
      admitted.add(before == 0 ? number : before);
      nextCapacities.add(before == 0 ? newcomers.apply(member) : capacityOf(member));
    }
    List<Member> durable = present.stream().filter(Member::hasStore).toList();
    boolean anyDurableVoter =
        durable.stream().anyMatch(member -> isVoter(member) || mayVote.test(member));
    List<Member> nextVoters =
        nextVoters(lasting && anyDurableVoter ? durable : present, oldestDecides, mayVote);
    long since = nodeIds(nextVoters).equals(nodeIds(voters)) ? votersSinceNumber : number;
    return new Membership(
        present,
        admitted,
        nextCapacities,
        nextVoters,
        since,
        nowLeaving,
        released.isEmpty() ? released : releasedWithout(present));
  }

  private List<UUID> releasedWithout(List<Member> present) {
    List<UUID> gone = new ArrayList<>(released);
    present.forEach(member -> gone.remove(member.id()));
    return gone;
  }

  /** Returns the same, which lets these members go. */
  Membership releasing(List<Member> letGo) {
    if (letGo.isEmpty()) {
      return this;
    }
    Set<UUID> all = new LinkedHashSet<>(released);
    letGo.forEach(member -> all.add(member.id()));
    List<UUID> ids = List.copyOf(all);
    int kept = Math.min(ids.size(), Math.max(MAX_RELEASED, letGo.size()));
    return new Membership(
        members,
        admissionNumbers,
        capacities,
        voters,
        votersSinceNumber,
        leaving,
        ids.subList(ids.size() - kept, ids.size()));
  }

  /** A voter is identified by its node: another incarnation keeps what this one has promised. */
  private static List<UUID> nodeIds(List<Member> some) {
    return some.stream().map(Member::nodeId).toList();
  }

  /**
   * Whether every member that may vote does. Until then, the loss of a few members weighs more than
   * it seems.
   */
  boolean everyoneVotes(boolean oldestDecides, boolean lasting) {
    int durable = (int) members.stream().filter(Member::hasStore).count();
    int able = lasting && durable > 0 ? durable : members.size();
    return voters.size() == (oldestDecides && able == 2 ? 1 : Math.min(MAX_VOTERS, able));
  }

  /** Voters go on voting; the longest-standing of the other members fill the remaining places. */
  private List<Member> nextVoters(
      List<Member> present, boolean oldestDecides, Predicate<Member> mayVote) {
    List<Member> next = new ArrayList<>();
    for (Member voter : voters) {
      present.stream().filter(voter::isSameNode).forEach(next::add);
    }
    for (Member member : present) {
      if (next.size() < MAX_VOTERS && !next.contains(member) && mayVote.test(member)) {
        next.add(member);
      }
    }
    if (next.isEmpty()) {
      // Some member must vote. The same happens when all former voters have gone one after the
      // other.
      return nextVoters(present, oldestDecides, member -> true);
    }
    // With two voters, both would be needed. With the older one alone, that one is needed as much
    // as before, and the other is not needed at all.
    return oldestDecides && next.size() == 2 ? olderVoter(present, next) : next;
  }

  private static List<Member> olderVoter(List<Member> present, List<Member> voters) {
    return present.stream().filter(voters::contains).limit(1).toList();
  }
}
