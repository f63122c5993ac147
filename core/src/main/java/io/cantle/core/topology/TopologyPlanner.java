package io.cantle.core.topology;

import io.cantle.core.segment.MemberCapacity;
import io.cantle.core.topology.SegmentOwnership.Joiner;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The pure function from one topology to the next: who is a member, who leaves, which caches there
 * are. What becomes of the segments of a cache says {@link CachePlanner}.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
public final class TopologyPlanner {

  /** What the leader has been told; read only while {@link #plan} runs. */
  public interface PlannerFacts {
    /** Members that have been silent for so long that they are to be excluded. */
    List<Member> silentMembers();

    /** Who asks to be admitted. */
    List<Member> joiningMembers();

    /** The seat of one that asks. */
    MemberCapacity capacityOf(Member member);

    /**
     * Whether one that asks has left this grid meanwhile, or its node never was in it, so that it
     * has no copies.
     */
    boolean hasNoCopies(Member member);

    /**
     * Whether another life of a member's node was here, which ends the member for certain, and was
     * told to come as a new node: what the member had in memory is gone.
     */
    default boolean discarded(Member member) {
      return false;
    }

    /** Members that want to go. */
    List<Member> leavingMembers();

    /** Caches somebody wants to open. */
    List<CacheDefinition> requestedCaches();

    /** Whether somebody wants to write. */
    boolean isWritten();

    /** Whether the moving of segments is to be suspended. */
    boolean isRebalanceSuspended();

    /** Whether what a segment held that was lost in this epoch of it is given up. */
    boolean isLossAccepted(int cache, int segment, int epoch);

    /** Whether who counts as one that holds a segment said that it has dropped its copy. */
    boolean hasDropped(int cache, int segment, Member member);

    /**
     * Whether a joiner said that it holds all of a segment, in an epoch up to this one. It has
     * taken part in every write since it began to join: once it holds everything it does until it
     * joins no more.
     */
    boolean hasReceived(int cache, int segment, int epoch, Joiner joiner);

    /** Whether the primary of a segment said that it has opened this epoch of it. */
    boolean isOpened(int cache, int segment, int epoch);

    /** The number of the topology a member said it has adopted, 0 if nothing is known. */
    long adoptedNumber(Member member);
  }

  private final Topology current;
  private final PlannerFacts facts;
  private final Set<Member> membersWithCapacity;
  private final List<Member> nextMembers;
  private final List<Member> nextLeaving;
  private final List<Member> eligibleOwners;
  private final List<Member> eligibleDurableOwners;
  private final boolean mustReassign;

  private TopologyPlanner(Topology current, PlannerFacts facts) {
    this.current = current;
    this.facts = facts;
    Set<Member> leavers = new LinkedHashSet<>(current.leaving());
    leavers.addAll(facts.leavingMembers());
    nextMembers = nextMembers(leavers);
    nextLeaving = leavers.stream().filter(nextMembers::contains).toList();
    membersWithCapacity = findMembersWithCapacity();
    eligibleOwners = eligibleOwners(nextMembers, nextLeaving);
    eligibleDurableOwners =
        eligibleOwners(nextMembers.stream().filter(Member::hasStore).toList(), nextLeaving);
    mustReassign =
        !eligibleOwners.equals(eligibleOwners(current.members(), current.leaving()))
            || current.gridDefinition().isRebalanceSuspended() != facts.isRebalanceSuspended();
  }

  /** The next topology, or the same object if nothing is to change. */
  public static Topology plan(Topology now, PlannerFacts facts) {
    return new TopologyPlanner(now, facts).plan();
  }

  private Topology plan() {
    GridDefinition gridDefinition = current.gridDefinition();
    if (facts.isWritten() && !gridDefinition.isWritten()) {
      gridDefinition = gridDefinition.withWritten(true);
    }
    if (facts.isRebalanceSuspended() != gridDefinition.isRebalanceSuspended()) {
      gridDefinition = gridDefinition.withRebalanceSuspended(facts.isRebalanceSuspended());
    }
    boolean changed = gridDefinition != current.gridDefinition();
    changed |= !nextMembers.equals(current.members()) || !nextLeaving.equals(current.leaving());
    List<CacheOwnership> caches = new ArrayList<>();
    for (int cache = 0; cache < current.caches().size(); cache++) {
      CacheOwnership before = current.caches().get(cache);
      CacheOwnership after =
          newCachePlanner(cache, before.definition()).planCache(before, mustReassign);
      changed |= after != before;
      caches.add(after);
    }
    long room =
        facts.requestedCaches().isEmpty()
            ? 0
            : AgreementJournal.MAX_FOUNDED_BYTES - AgreementJournal.topologyBytes(current);
    for (CacheDefinition wanted : facts.requestedCaches()) {
      boolean known = caches.stream().anyMatch(c -> c.definition().name().equals(wanted.name()));
      if (!known
          && caches.size() < Topology.MAX_CACHES
          && areOwnersConfirmed()
          && (!wanted.isDurable() || eligibleDurableOwners.isEmpty() || isDecisionDurable())
          && room >= AgreementJournal.addedBytes(current.members(), wanted)) {
        room -= AgreementJournal.addedBytes(current.members(), wanted);
        caches.add(foundCache(wanted));
        changed = true;
      }
    }
    long number = current.number() + 1;
    Membership membership =
        current
            .membership()
            .withChanges(
                number,
                nextMembers,
                facts::capacityOf,
                nextLeaving,
                gridDefinition.oldestDecides(),
                this::hasConfirmedAdmission,
                caches.stream().anyMatch(cache -> cache.definition().isDurable())
                    || facts.requestedCaches().stream().anyMatch(CacheDefinition::isDurable));
    changed |= !membership.voters().equals(current.membership().voters());
    if (!changed) {
      return current;
    }
    return new Topology(number, gridDefinition, membership, caches);
  }

  /**
   * Whether a member has said that it knows of its admission. Only then it votes: of several that
   * are admitted together all may have died meanwhile, and would be most of the voters.
   */
  private boolean hasConfirmedAdmission(Member member) {
    long admission = current.membership().admissionNumber(member);
    return admission > 0 && facts.adoptedNumber(member) >= admission;
  }

  /**
   * Whether everybody that is to own a part of a new cache is there. Some that founded the grid, or
   * were admitted just now, may have died meanwhile: once somebody writes, what only they own would
   * be lost, though nobody ever wrote to it. They show themselves or are excluded.
   */
  private boolean areOwnersConfirmed() {
    return eligibleOwners.stream().allMatch(this::hasConfirmedAdmission);
  }

  /**
   * Whether those that decide remember it after a restart, and everybody knows them who is to own
   * what is kept on disk. What is acknowledged before that may be on all disks when all stop, and
   * everybody comes back knowing an earlier topology, most of whose voters never do.
   */
  private boolean isDecisionDurable() {
    Membership membership = current.membership();
    return membership.voters().stream().allMatch(Member::hasStore)
        && eligibleDurableOwners.stream()
            .allMatch(
                member ->
                    hasConfirmedAdmission(member)
                        && facts.adoptedNumber(member) >= membership.votersSinceNumber());
  }

  /**
   * Who is in the next topology. Who leaves is let go once nobody needs it and it knows that
   * itself: until then it may believe that it owns something. Nor may its vote be needed: most of
   * the voters that stay have shown that they are there since it wants to go, for some may have
   * died just before. Who is excluded may come back in a later one.
   */
  private List<Member> nextMembers(Set<Member> leavers) {
    List<Member> staying = new ArrayList<>();
    List<Member> silent = facts.silentMembers();
    for (Member member : current.members()) {
      if (silent.contains(member)) {
        // The next life of its node takes its place.
        facts.joiningMembers().stream()
            .filter(life -> life.isSameNode(member) && !life.equals(member))
            .limit(1)
            .forEach(staying::add);
      } else {
        staying.add(member);
      }
    }
    List<Member> letGo =
        staying.stream()
            .filter(current.leaving()::contains)
            .filter(member -> !current.needs(member) && hasAdoptedCurrent(member))
            .toList();
    List<Member> others = new ArrayList<>(current.membership().voters());
    others.retainAll(staying);
    others.removeAll(letGo);
    // When all leave that are there they go together, once the silent are excluded.
    boolean anyStays = staying.size() > letGo.size();
    if (anyStays
        && (others.isEmpty()
            || 2 * others.stream().filter(this::hasAdoptedCurrent).count() > others.size())) {
      staying.removeAll(letGo);
    }
    if (staying.isEmpty()) {
      return current.members();
    }
    for (Member member : facts.joiningMembers()) {
      if (!current.members().contains(member) && staying.stream().noneMatch(member::isSameNode)) {
        staying.add(member);
        leavers.remove(member);
      }
    }
    return staying;
  }

  /** Whether a member said that it has adopted the present topology. */
  private boolean hasAdoptedCurrent(Member member) {
    return facts.adoptedNumber(member) >= current.number();
  }

  /** Who has capacity, of the members there are and those to come. */
  private Set<Member> findMembersWithCapacity() {
    Set<Member> all = new HashSet<>(current.members());
    all.addAll(nextMembers);
    all.removeIf(member -> !capacityOf(member).mayOwnSegments());
    return all;
  }

  private MemberCapacity capacityOf(Member member) {
    return current.members().contains(member)
        ? current.membership().capacityOf(member)
        : facts.capacityOf(member);
  }

  /** Those that may own something. When everybody leaves that could, nobody is spared. */
  private List<Member> eligibleOwners(List<Member> members, List<Member> leavers) {
    List<Member> holding = members.stream().filter(membersWithCapacity::contains).toList();
    List<Member> staying = holding.stream().filter(Predicate.not(leavers::contains)).toList();
    return staying.isEmpty() ? holding : staying;
  }

  private CachePlanner newCachePlanner(int cache, CacheDefinition definition) {
    return new CachePlanner(
        current,
        facts,
        new CachePlanner.PlannedMembers(
            nextMembers,
            nextLeaving,
            definition.isDurable() ? eligibleDurableOwners : eligibleOwners,
            this::capacityOf),
        cache,
        definition,
        !definition.isDurable() || isDecisionDurable());
  }

  private CacheOwnership foundCache(CacheDefinition definition) {
    List<List<Member>> nobody = new ArrayList<>();
    for (int segment = 0; segment < definition.config().segments(); segment++) {
      nobody.add(List.of());
    }
    List<SegmentOwnership> segments = new ArrayList<>();
    for (List<Member> owners :
        newCachePlanner(current.caches().size(), definition).assignOwners(nobody)) {
      segments.add(SegmentOwnership.empty(1, owners, List.of()));
    }
    return new CacheOwnership(definition, segments);
  }
}
