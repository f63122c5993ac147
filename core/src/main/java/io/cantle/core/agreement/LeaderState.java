package io.cantle.core.agreement;

import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.ownership.TopologySizeLimit;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What members have reported to a voter, and what it plans the next topology from if it leads.
 *
 * <p>Every voter keeps this state, because any voter may have to lead next. It is hearsay: it is in
 * memory only, and members repeat their reports until a topology shows the effect. So nothing is
 * lost with a leader, and nothing here is agreed.
 *
 * <p>The state is of three kinds. Standings: how far each member has adopted topologies, whether it
 * has a lease, whether it leads, and which members it does not hear. Requests: to be admitted, to
 * leave, to have a cache, to accept a loss. Reports on replicas: received, opened, dropped,
 * discarded. The planner sees all of them as facts. What a topology has settled is forgotten when
 * that topology is adopted.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class LeaderState {
  /** How long a request to be admitted counts; a node that has not repeated it by then is gone. */
  private static final long JOIN_REQUEST_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_REMEMBERED_REQUESTS = 1_000;

  private final LeaseTable leaseTable;
  private final Member self;
  private final MemberHealth memberHealth = new MemberHealth();
  private final IncarnationTable incarnations;
  private final Map<Member, Long> adoptedNumbers = new HashMap<>();
  private final Map<Member, LeaseStanding> standings = new HashMap<>();
  private final Map<Member, Long> undecidedNumbers = new HashMap<>();
  private final Map<Member, List<UUID>> unheardByVoter = new HashMap<>();
  private final Map<Member, AdmissionCandidate> admissionCandidates = new TreeMap<>();
  private final Set<Member> joiningAsNew = new TreeSet<>();

  /** Nodes that were told to come back as new nodes. */
  private final Set<UUID> discardedNodes = new HashSet<>();

  /** Nodes whose refusal for want of room was already logged. */
  private final Set<Member> refusedMembers = new TreeSet<>();

  private final LinkedHashSet<Member> leavingMembers = new LinkedHashSet<>();
  private final List<CacheDefinition> requestedCaches = new ArrayList<>();
  private final Set<Integer> requestedDestroys = new HashSet<>();

  /** For each joiner of a segment, the latest epoch in which it said that it holds everything. */
  private final Map<JoinerKey, Integer> receivedEpochs = new HashMap<>();

  private final Set<SegmentEpoch> openedEpochs = new HashSet<>();
  private final Set<SegmentEpoch> acceptedLosses = new HashSet<>();

  /**
   * For each epoch of a segment, the members that should hold it and have said since then that they
   * do not.
   */
  private final Map<SegmentEpoch, TreeSet<Member>> droppedReplicas = new HashMap<>();

  private boolean written;
  private @Nullable Boolean requestedSuspension;

  LeaderState(LeaseTable leaseTable, Member self, IncarnationTable incarnations) {
    this.leaseTable = leaseTable;
    this.self = self;
    this.incarnations = incarnations;
  }

  /** Forgets what was reported to an earlier leader on this node. */
  public void reset(Topology current, long now) {
    admissionCandidates.clear();
    joiningAsNew.clear();
    leavingMembers.clear();
    requestedCaches.clear();
    requestedDestroys.clear();
    receivedEpochs.clear();
    openedEpochs.clear();
    acceptedLosses.clear();
    droppedReplicas.clear();
    written = false;
    requestedSuspension = null;
    onTopologyAdopted(current, now);
  }

  /** Adopts a topology, and forgets everything that the topology shows. */
  void onTopologyAdopted(Topology topology, long now) {
    adoptedNumbers.keySet().retainAll(topology.members());
    Membership membership = topology.membership();
    standings
        .keySet()
        .removeIf(one -> !membership.members().contains(one) && !membership.isVoter(one));
    memberHealth.onTopologyAdopted(topology, now);
    undecidedNumbers.clear();
    unheardByVoter.keySet().removeIf(one -> !membership.isVoter(one));
    admissionCandidates.keySet().removeAll(topology.members());
    joiningAsNew.retainAll(admissionCandidates.keySet());
    leavingMembers.retainAll(topology.members());
    requestedCaches.removeIf(definition -> !topology.caches().mayCreate(definition));
    requestedDestroys.removeIf(cache -> topology.caches().find(cache) == null);
    receivedEpochs
        .entrySet()
        .removeIf(receipt -> isOutdated(topology, receipt.getKey(), receipt.getValue()));
    openedEpochs.removeIf(opening -> !isOpeningAwaited(topology, opening));
    acceptedLosses.clear();
    droppedReplicas.forEach((since, who) -> who.removeIf(one -> !shouldHold(topology, since, one)));
    droppedReplicas.values().removeIf(Set::isEmpty);
    requestedSuspension = null;
  }

  /** Records how far a member has adopted topologies; returns whether that is news. */
  boolean recordAdopted(Member member, long number) {
    Long before = adoptedNumbers.get(member);
    boolean isNews = before == null || before < number;
    if (isNews) {
      adoptedNumbers.put(member, number);
    }
    return isNews;
  }

  /** The number of the topology that a member said it has adopted. */
  public long lastAdoptedNumber(Member member) {
    return adoptedNumbers.getOrDefault(member, 0L);
  }

  /** What a member says of itself. */
  private record LeaseStanding(boolean isLeased, boolean isLeader) {
    /** The standing of a member that has said nothing yet: it may be leased, and may lead. */
    static final LeaseStanding UNKNOWN = new LeaseStanding(true, true);
  }

  /** Records whether a member says that it holds a lease, and that it leads. */
  void recordStanding(Member member, boolean leased, boolean leads, long now) {
    standings.put(member, new LeaseStanding(leased, leads));
    memberHealth.recordLease(member, leased, now);
    if (member.equals(self)) {
      memberHealth.recordOwnLease(leased, now);
    }
  }

  /**
   * Records that a voter was heard that is yet to be admitted in its present incarnation: it has no
   * lease.
   */
  void recordReturn(Member voter) {
    standings.putIfAbsent(voter, new LeaseStanding(false, false));
  }

  /**
   * Records the number of the topology in which a voter has taken up a next one; 0 if it has not.
   */
  void recordUndecided(Member voter, long number) {
    undecidedNumbers.put(voter, number);
  }

  /**
   * Whether a voter has taken up a next topology, whichever node proposed it. The leader has
   * proposed none, so none will be decided. A former leader came back for a moment, or its message
   * came late. Until there is another topology, that voter grants no lease to the members which
   * that one excludes.
   */
  public boolean hasUndecided(Topology current) {
    return undecidedNumbers.containsValue(current.number());
  }

  /** Whether a member holds a lease, as far as is known. */
  boolean isLeased(Member member) {
    return standings.getOrDefault(member, LeaseStanding.UNKNOWN).isLeased;
  }

  /** Whether a member leads, as far as is known. */
  boolean isLeader(Member member) {
    return standings.getOrDefault(member, LeaseStanding.UNKNOWN).isLeader;
  }

  /** Records that an incarnation of a node was told that its store does not count any more. */
  public void recordDiscarded(Member incarnation) {
    if (discardedNodes.size() < MAX_REMEMBERED_REQUESTS) {
      discardedNodes.add(incarnation.nodeId());
    }
  }

  /**
   * Whether each segment a node may hold on disk has another owner that is a member and is heard.
   */
  public boolean othersHold(Topology current, Member node, long now) {
    return current.caches().stream()
        .filter(cache -> cache.definition().isDurable())
        .flatMap(cache -> cache.segments().stream())
        .filter(
            segment ->
                Stream.concat(segment.owners().stream(), segment.lastOwners().stream())
                    .anyMatch(node::isSameNode))
        .allMatch(
            segment ->
                segment.owners().stream()
                    .anyMatch(
                        owner ->
                            !owner.isSameNode(node)
                                && current.members().contains(owner)
                                && isHeard(owner, now)));
  }

  /** When a node last asked to be admitted, and the capacity it stated. */
  private record AdmissionCandidate(long requestedNanos, MemberCapacity capacity) {}

  /**
   * Records a request to be admitted, from a new node or from an excluded one. It does not count if
   * another incarnation of the node is a member and is heard. A late message of an earlier
   * incarnation would otherwise be taken for one of the next.
   *
   * @return why there is no room for the node, to be told to people; null if there is, or if they
   *     were told already
   */
  public @Nullable String onJoinRequest(
      Topology current, Member member, boolean comesAnew, MemberCapacity memberCapacity, long now) {
    if (otherIncarnations(current.members(), member).anyMatch(one -> isHeard(one, now))
        || !memberHealth.mayJoin(member, now)) {
      return null;
    }
    String noRoom = refusalReason(current, member);
    if (noRoom == null) {
      // Only one incarnation of a node runs: the one that asked last.
      admissionCandidates
          .keySet()
          .removeIf(other -> other.isSameNode(member) && !other.equals(member));
      admissionCandidates.put(member, new AdmissionCandidate(now, memberCapacity));
      if (comesAnew) {
        joiningAsNew.add(member);
      }
      return null;
    }
    boolean isNews = refusedMembers.size() < MAX_REMEMBERED_REQUESTS && refusedMembers.add(member);
    return isNews ? noRoom : null;
  }

  /**
   * Why the record of nodes with stores has no room for one more member; null if it has. A node
   * that holds data is admitted in any case.
   */
  private @Nullable String refusalReason(Topology current, Member member) {
    List<Member> members = new ArrayList<>(current.members());
    admissionCandidates.keySet().stream()
        .filter(one -> !members.contains(one))
        .forEach(members::add);
    if (admissionCandidates.containsKey(member) || members.stream().anyMatch(member::isSameNode)) {
      return null;
    }
    members.add(member);
    return isFormerOwner(current, member)
        ? null
        : TopologySizeLimit.refusalReason(current, members);
  }

  private static boolean isFormerOwner(Topology current, Member member) {
    return current
        .segments()
        .anyMatch(
            segment ->
                segment.lastOwners().stream().anyMatch(member::isSameNode)
                    || (segment.isLost()
                        && (segment.writers().contains(member)
                            || segment.findHolder(member) != null)));
  }

  /** Handles a report; returns whether it may change something. */
  public boolean onReport(Topology current, Member from, MemberReport report, long now) {
    if (!current.members().contains(from)) {
      return false;
    }
    return switch (report) {
      case MemberReport.SegmentReceived(SegmentEpoch receipt) -> {
        JoinerKey receiver = new JoinerKey(receipt.cache(), receipt.segment(), from);
        boolean isNews =
            !isOutdated(current, receiver, receipt.epoch())
                && receivedEpochs.getOrDefault(receiver, 0) < receipt.epoch();
        if (isNews) {
          receivedEpochs.put(receiver, receipt.epoch());
        }
        yield isNews;
      }
      case MemberReport.EpochOpened(SegmentEpoch opening) ->
          isOpeningAwaited(current, opening)
              && current.ownership(opening.cache(), opening.segment()).primary().equals(from)
              && openedEpochs.add(opening);
      case MemberReport.LeaveRequested() ->
          leavingMembers.add(from) || current.leaving().contains(from);
      case MemberReport.CacheRequested(CacheDefinition definition, long number) ->
          number >= current.caches().lastDestroyNumber() && requestCache(current, definition);
      case MemberReport.DestroyRequested(UUID gridId, int cache) ->
          gridId.equals(current.gridId())
              && current.caches().find(cache) != null
              && requestedDestroys.add(cache);
      case MemberReport.WriteRequested() -> {
        written = true;
        yield !current.gridDefinition().isWritten();
      }
      case MemberReport.SuspensionRequested(boolean value, long number) -> {
        if (number == current.number()) {
          requestedSuspension = value;
        }
        yield number == current.number();
      }
      case MemberReport.ReplicaDropped(SegmentEpoch epoch) ->
          isCurrentEpoch(current, epoch)
              && shouldHold(current, epoch, from)
              && droppedReplicas.computeIfAbsent(epoch, e -> new TreeSet<>()).add(from);
      case MemberReport.LossAccepted(SegmentEpoch loss) ->
          current.isLostIn(loss.cache(), loss.segment(), loss.epoch()) && acceptedLosses.add(loss);
      case MemberReport.MemberUnresponsive(UUID id) -> {
        current.members().stream()
            .filter(member -> member.id().equals(id))
            .forEach(member -> memberHealth.recordComplaint(from, member, now));
        yield true;
      }
    };
  }

  /** A joiner of a segment, which may have received it. */
  private record JoinerKey(int cache, int segment, Member joiner) {}

  /**
   * Whether a report about an epoch means nothing any more: the member has stopped joining since,
   * or there is no such segment.
   */
  private static boolean isOutdated(Topology current, JoinerKey receiver, int epoch) {
    SegmentOwnership ownership = current.findOwnership(receiver.cache, receiver.segment);
    return ownership == null
        || (epoch <= ownership.epoch()
            && ownership.joiners().stream()
                .noneMatch(
                    joiner ->
                        joiner.member().equals(receiver.joiner) && joiner.sinceEpoch() <= epoch));
  }

  /** Whether the opening of an epoch matters: it is the present one and not confirmed yet. */
  private static boolean isOpeningAwaited(Topology current, SegmentEpoch opening) {
    SegmentOwnership ownership = current.findOwnership(opening.cache(), opening.segment());
    return ownership != null
        && ownership.epoch() == opening.epoch()
        && (ownership.isUnconfirmed() || ownership.isOpeningAwaited())
        && !ownership.isUnowned();
  }

  private static boolean isCurrentEpoch(Topology current, SegmentEpoch epoch) {
    SegmentOwnership ownership = current.findOwnership(epoch.cache(), epoch.segment());
    return ownership != null && ownership.epoch() == epoch.epoch();
  }

  /** Whether a member counts as holding what the segment held in an epoch, or is asked for it. */
  private static boolean shouldHold(Topology current, SegmentEpoch epoch, Member member) {
    SegmentOwnership ownership = current.findOwnership(epoch.cache(), epoch.segment());
    return ownership != null
        && ownership.birthEpoch() <= epoch.epoch()
        && (ownership.owners().contains(member)
            || ownership.lastOwners().contains(member)
            || (ownership.isLost() && ownership.writers().contains(member)));
  }

  private boolean requestCache(Topology current, CacheDefinition definition) {
    boolean isNew =
        current.caches().mayCreate(definition)
            && requestedCaches.size() < MAX_REMEMBERED_REQUESTS
            && requestedCaches.stream().noneMatch(one -> one.name().equals(definition.name()))
            && TopologySizeLimit.refusalReason(current, definition) == null;
    return isNew && requestedCaches.add(definition);
  }

  // ------------------------------------------------------------------ silent members

  /** The ids of the members that this voter does not hear, for another voter. */
  List<UUID> silentMembers(Topology current, long now) {
    return current.members().stream()
        .filter(member -> leaseTable.silenceNanos(member, now) >= LeaseTable.EXCLUSION_WAIT_NANOS)
        .map(Member::id)
        .toList();
  }

  /** Records the ids of the members that another voter does not hear. */
  void recordSilentMembers(Member from, List<UUID> silent) {
    unheardByVoter.put(from, silent);
  }

  /**
   * The members to exclude. One kind is a member that a majority of the voters no longer hears.
   * Another is a silent member that the transport calls gone as well, once it is out of all leases.
   * Without such members it is one that is heard and holds others up. No member is excluded while
   * the voters that are heard are no majority: an exclusion that needed the vote of the excluded
   * would be one by a minority.
   */
  private List<Member> membersToExclude(Topology current, List<Member> view, long now) {
    List<Member> silent = new ArrayList<>();
    for (Member member : current.members()) {
      long silence = leaseTable.silenceNanos(member, now);
      boolean gone =
          silence >= LeaseTable.EXCLUSION_WAIT_NANOS
              && (!view.contains(member) || successorOf(member) != null);
      if (gone
          || (silence >= LeaseTable.EXCLUDE_AFTER_NANOS && isUnheardByMajority(current, member))) {
        silent.add(member);
      } else if (silence >= LeaseTable.SUSPECT_AFTER_NANOS
          && silence < LeaseTable.EXCLUDE_AFTER_NANOS) {
        // Members that fall silent together are excluded together. The exclusion of another one
        // would have to wait until the change of voters is as old as a lease. A member that others
        // hear is not waited for.
        return List.of();
      }
    }
    if (silent.isEmpty()) {
      Member worst = memberHealth.chooseExclusion(current, self, now);
      if (worst != null && majorityStays(current, List.of(worst), now)) {
        memberHealth.recordExclusion(worst, now);
        return List.of(worst);
      }
    }
    return majorityStays(current, silent, now) ? silent : List.of();
  }

  /**
   * Another incarnation of a member's node that asks to be admitted, which means that the member is
   * dead; null if there is none.
   */
  private @Nullable Member successorOf(Member member) {
    return otherIncarnations(admissionCandidates.keySet(), member).findFirst().orElse(null);
  }

  private static Stream<Member> otherIncarnations(Collection<Member> some, Member member) {
    return some.stream().filter(one -> one.isSameNode(member) && !one.equals(member));
  }

  /**
   * Whether the voters that stay and are heard are a majority; a silent one may be dead. An
   * excluded voter stays if its node's next incarnation is admitted in its place. Otherwise the
   * voters that are left would be a minority, or only newcomers.
   */
  private boolean majorityStays(Topology current, List<Member> excluded, long now) {
    return current
        .membership()
        .isMajority(voter -> isHeardOrReplaced(voter, excluded.contains(voter), now));
  }

  private boolean isHeardOrReplaced(Member voter, boolean isExcluded, long now) {
    Member incarnation = isExcluded ? successorOf(voter) : incarnations.latestOf(voter);
    return incarnation != null && isHeard(incarnation, now);
  }

  private boolean isHeard(Member member, long now) {
    return leaseTable.silenceNanos(member, now) < LeaseTable.SUSPECT_AFTER_NANOS;
  }

  /**
   * Whether every voter that stays is heard. No new node is admitted while one of them may be dead.
   * A newcomer votes too, and the more voters there are, the more of them must answer. Besides, a
   * dead voter cannot be excluded before a change of voters is as old as a lease. And where a
   * process dies and restarts at once, the newcomer asks before the dead one has been silent for
   * long enough.
   */
  private boolean allVotersAnswer(Topology current, List<Member> excluded, long now) {
    return current.membership().voters().stream()
        .allMatch(voter -> excluded.contains(voter) || isHeard(incarnations.latestOf(voter), now));
  }

  /** The nodes that may be admitted. The next incarnation of a voter adds no voter. */
  private List<Member> admissibleMembers(Topology current, List<Member> excluded, long now) {
    boolean newcomers = allVotersAnswer(current, excluded, now);
    return admissionCandidates.keySet().stream()
        .filter(one -> current.membership().isVoter(one) ? isHeard(one, now) : newcomers)
        .toList();
  }

  private boolean isUnheardByMajority(Topology current, Member member) {
    int count = 1;
    for (Member voter : current.membership().voters()) {
      List<UUID> silent = unheardByVoter.get(incarnations.latestOf(voter));
      if (silent != null && silent.contains(member.id())) {
        count++;
      }
    }
    return current.membership().isMajority(count);
  }

  // ------------------------------------------------------------------ the next topology

  /** The topology to be proposed; the present one if nothing is to change. */
  public Topology planNext(Topology current, List<Member> view, long now) {
    admissionCandidates
        .values()
        .removeIf(request -> now - request.requestedNanos > JOIN_REQUEST_VALID_NANOS);
    joiningAsNew.retainAll(admissionCandidates.keySet());
    Boolean suspend = requestedSuspension;
    return TopologyPlanner.plan(
        current,
        new TopologyPlanner.PlannerFacts() {
          @Override
          public List<Member> silentMembers() {
            return LeaderState.this.membersToExclude(current, view, now);
          }

          @Override
          public List<Member> joiningMembers() {
            return admissibleMembers(current, silentMembers(), now);
          }

          @Override
          public MemberCapacity capacityOf(Member member) {
            AdmissionCandidate candidate = admissionCandidates.get(member);
            return candidate == null ? MemberCapacity.DEFAULT : candidate.capacity;
          }

          @Override
          public boolean hasNoCopies(Member member) {
            return (current.gridDefinition().prefersAvailability() || member.hasStore())
                && joiningAsNew.contains(member);
          }

          @Override
          public boolean isDiscarded(Member member) {
            return discardedNodes.contains(member.nodeId());
          }

          @Override
          public List<Member> leavingMembers() {
            return List.copyOf(leavingMembers);
          }

          @Override
          public List<CacheDefinition> requestedCaches() {
            return requestedCaches;
          }

          @Override
          public boolean isDestroyRequested(int cache) {
            return requestedDestroys.contains(cache);
          }

          @Override
          public boolean isWritten() {
            return written;
          }

          @Override
          public boolean isRebalanceSuspended(GridDefinition present) {
            return suspend == null ? present.isRebalanceSuspended() : suspend;
          }

          @Override
          public boolean isLossAccepted(int cache, int segment, int epoch) {
            return acceptedLosses.contains(new SegmentEpoch(cache, segment, epoch));
          }

          @Override
          public boolean hasDropped(int cache, int segment, Member member) {
            return droppedReplicas.entrySet().stream()
                .anyMatch(
                    entry ->
                        entry.getKey().cache() == cache
                            && entry.getKey().segment() == segment
                            && entry.getValue().contains(member));
          }

          @Override
          public boolean hasReceived(int cache, int segment, int epoch, Joiner joiner) {
            Integer said = receivedEpochs.get(new JoinerKey(cache, segment, joiner.member()));
            return said != null && said >= joiner.sinceEpoch() && said <= epoch;
          }

          @Override
          public boolean isOpened(int cache, int segment, int epoch) {
            return openedEpochs.contains(new SegmentEpoch(cache, segment, epoch));
          }

          @Override
          public long adoptedNumber(Member member) {
            return lastAdoptedNumber(member);
          }
        });
  }
}
