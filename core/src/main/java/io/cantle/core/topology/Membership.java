package io.cantle.core.topology;

import io.cantle.core.segment.MemberCapacity;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Who is in a grid, and who of them decides.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param members who is in the grid, the longest-standing first
 * @param admissionNumbers for each of the members the number of the topology that admitted it: a
 *     member that was excluded and comes back is admitted anew
 * @param capacities for each of the members how much it is to hold, and where it stands, as it said
 *     when it asked to be admitted
 * @param voters those a majority of which decides the next topology
 * @param votersSinceNumber the number of the topology in which the voters became these
 * @param leaving those of the members that are handing over what they have
 */
public record Membership(
    List<Member> members,
    List<Long> admissionNumbers,
    List<MemberCapacity> capacities,
    List<Member> voters,
    long votersSinceNumber,
    List<Member> leaving) {

  /** The most voters: enough to outlive three of them. */
  static final int MAX_VOTERS = 7;

  /** Nobody. */
  static final Membership NONE =
      new Membership(List.of(), List.of(), List.of(), List.of(), 0, List.of());

  /** Copies the lists. */
  public Membership {
    members = List.copyOf(members);
    admissionNumbers = List.copyOf(admissionNumbers);
    capacities = List.copyOf(capacities);
    voters = List.copyOf(voters);
    leaving = List.copyOf(leaving);
    if (members.size() != admissionNumbers.size() || members.size() != capacities.size()) {
      throw new IllegalArgumentException(
          members.size()
              + " members have "
              + admissionNumbers.size()
              + " admissions and "
              + capacities.size()
              + " seats");
    }
  }

  /** The founders of a grid, all admitted by its first topology. */
  static Membership ofFounders(
      List<Member> members, Function<? super Member, MemberCapacity> seats, boolean oldestDecides) {
    return NONE.withChanges(1, members, seats, List.of(), oldestDecides, member -> true, false);
  }

  /** When a member was admitted last; 0 if it is none. */
  public long admissionNumber(Member member) {
    int place = members.indexOf(member);
    return place < 0 ? 0 : admissionNumbers.get(place);
  }

  /** How much a member is to hold, and where it stands. */
  public MemberCapacity capacityOf(Member member) {
    int place = members.indexOf(member);
    return place < 0 ? MemberCapacity.DEFAULT : capacities.get(place);
  }

  /** Whether so many of the voters are more than half of them. */
  boolean isMajority(int count) {
    return count > voters.size() / 2;
  }

  /** Whether a member's node votes, be it in another life of it. */
  boolean isVoter(Member member) {
    return voters.stream().anyMatch(member::isSameNode);
  }

  /** Whether this holds for more than half of the voters. */
  boolean isMajority(Predicate<Member> holds) {
    return isMajority((int) voters.stream().filter(holds).count());
  }

  /**
   * The membership of a later topology.
   *
   * @param number of that topology
   * @param newcomers the seats of those that are no members yet
   * @param mayVote whether one that does not vote yet may
   * @param lasting whether those are to decide whose nodes have stores, if there are any: of others
   *     no later life remembers what was decided
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
    return new Membership(present, admitted, nextCapacities, nextVoters, since, nowLeaving);
  }

  /** A voter is its node: another life of it keeps what this one has promised. */
  private static List<UUID> nodeIds(List<Member> anyDurableVoter) {
    return anyDurableVoter.stream().map(Member::nodeId).toList();
  }

  /** Whether everybody votes that may: until then the loss of some weighs more than it seems. */
  boolean everyoneVotes(boolean oldestDecides, boolean lasting) {
    int durable = (int) members.stream().filter(Member::hasStore).count();
    int able = lasting && durable > 0 ? durable : members.size();
    return voters.size() == (oldestDecides && able == 2 ? 1 : Math.min(MAX_VOTERS, able));
  }

  /** Who votes goes on voting; the longest-standing of the others fill up. */
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
      // Somebody must; it is the same when all that voted have gone one after the other.
      return nextVoters(present, oldestDecides, member -> true);
    }
    // Two voters would both be needed. One of them alone is needed no more than before, and the
    // other not at all.
    return oldestDecides && next.size() == 2 ? olderVoter(present, next) : next;
  }

  private static List<Member> olderVoter(List<Member> present, List<Member> voters) {
    return present.stream().filter(voters::contains).limit(1).toList();
  }
}
