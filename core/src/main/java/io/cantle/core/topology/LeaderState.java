package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.segment.MemberCapacity;
import io.cantle.core.topology.SegmentOwnership.Joiner;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
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
 * What a voter has been told and, should it lead, makes the next topology of.
 *
 * <p>Every voter keeps this, because any of them may have to lead next. All of it is hearsay: it is
 * in memory only, and members repeat what they have to say until a topology shows it. So nothing is
 * lost with a leader, and nothing here is agreed.
 *
 * <p>Three kinds of things are kept. Standings: how far each member has adopted topologies, whether
 * it has a lease, whether it leads, and whom it does not hear. Requests: to be admitted, to leave,
 * to have a cache, to accept a loss. Reports of copies: received, opened, dropped, discarded. The
 * planner sees them as facts; what a topology has settled is forgotten when it is adopted.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class LeaderState {
  /** Who asked to be admitted, and has not asked again for so long, has gone meanwhile. */
  private static final long JOIN_REQUEST_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_REMEMBERED_REQUESTS = 1_000;
  private static final System.Logger LOG = System.getLogger(LeaderState.class.getName());

  private final LeaseTable leaseTable;
  private final MessagingService messaging;
  private final MemberHealth memberHealth;
  private final IncarnationTable incarnations;
  private final Map<Member, Long> adoptedNumbers = new HashMap<>();
  private final Map<Member, LeaseStanding> standings = new HashMap<>();
  private final Map<Member, Long> undecidedNumbers = new HashMap<>();
  private final Map<Member, Set<UUID>> unheardByVoter = new HashMap<>();
  private final Map<Member, JoinRequest> joinRequests = new TreeMap<>();
  private final Set<Member> joiningAnew = new TreeSet<>();

  /** Nodes that were told to come back as new ones. */
  private final Set<UUID> discarded = new HashSet<>();

  /** Who was told of as one there is no room for. */
  private final Set<Member> refusedMembers = new TreeSet<>();

  private final LinkedHashSet<Member> leavingMembers = new LinkedHashSet<>();
  private final List<CacheDefinition> requestedCaches = new ArrayList<>();

  /** In which epoch of a segment a joiner said last that it holds everything. */
  private final Map<JoinerKey, Integer> receivedEpochs = new HashMap<>();

  private final Set<SegmentEpoch> openedEpochs = new HashSet<>();
  private final Set<SegmentEpoch> acceptedLosses = new HashSet<>();

  /** Who should hold a segment and does not, since when it has said so. */
  private final Map<SegmentEpoch, TreeSet<Member>> droppedReplicas = new HashMap<>();

  private boolean written;
  private @Nullable Boolean requestedSuspension;

  LeaderState(
      LeaseTable leaseTable,
      MemberHealth memberHealth,
      MessagingService messaging,
      IncarnationTable incarnations) {
    this.leaseTable = leaseTable;
    this.memberHealth = memberHealth;
    this.messaging = messaging;
    this.incarnations = incarnations;
  }

  /** Forgets what was told to an earlier leader of this node's. */
  void reset(Topology current) {
    joinRequests.clear();
    joiningAnew.clear();
    leavingMembers.clear();
    requestedCaches.clear();
    receivedEpochs.clear();
    openedEpochs.clear();
    acceptedLosses.clear();
    droppedReplicas.clear();
    written = false;
    requestedSuspension = null;
    onTopologyAdopted(current);
  }

  /** A topology was adopted: what it shows need not be remembered. */
  void onTopologyAdopted(Topology topology) {
    adoptedNumbers.keySet().retainAll(topology.members());
    Membership membership = topology.membership();
    standings
        .keySet()
        .removeIf(one -> !membership.members().contains(one) && !membership.isVoter(one));
    memberHealth.onTopologyAdopted(topology);
    undecidedNumbers.clear();
    unheardByVoter.keySet().removeIf(one -> !membership.isVoter(one));
    joinRequests.keySet().removeAll(topology.members());
    joiningAnew.retainAll(joinRequests.keySet());
    leavingMembers.retainAll(topology.members());
    requestedCaches.removeIf(definition -> topology.cacheIndex(definition.name()) >= 0);
    receivedEpochs
        .entrySet()
        .removeIf(receipt -> isPast(topology, receipt.getKey(), receipt.getValue()));
    openedEpochs.removeIf(opening -> !isOpeningAwaited(topology, opening));
    acceptedLosses.clear();
    droppedReplicas.forEach((since, who) -> who.removeIf(one -> !shouldHold(topology, since, one)));
    droppedReplicas.values().removeIf(Set::isEmpty);
    requestedSuspension = null;
  }

  /** How far a member is; returns whether that is news. */
  boolean recordAdopted(Member member, long number) {
    Long before = adoptedNumbers.get(member);
    boolean isNews = before == null || before < number;
    if (isNews) {
      adoptedNumbers.put(member, number);
    }
    return isNews;
  }

  /** The number of the topology a member said it has adopted. */
  long lastAdoptedNumber(Member member) {
    return adoptedNumbers.getOrDefault(member, 0L);
  }

  /** What a member says of itself. */
  private record LeaseStanding(boolean isLeased, boolean isLeader) {
    /** Who has said nothing yet may be anything. */
    static final LeaseStanding UNKNOWN = new LeaseStanding(true, true);
  }

  /** Whether a member says that it holds a lease, and that it leads. */
  void recordStanding(Member member, boolean leased, boolean leads) {
    standings.put(member, new LeaseStanding(leased, leads));
    memberHealth.recordLease(member, leased);
    if (member.equals(messaging.self())) {
      memberHealth.recordOwnLease(leased);
    }
  }

  /** A voter is heard of that is to be admitted in its present life: it has no lease. */
  void recordReturn(Member voter) {
    standings.putIfAbsent(voter, new LeaseStanding(false, false));
  }

  /** The topology in which a voter has taken up a next one, or 0 if it has not. */
  void recordUndecided(Member voter, long number) {
    undecidedNumbers.put(voter, number);
  }

  /**
   * Whether a voter has taken up a topology after this one, whoever proposed it. The leader has
   * proposed none, so nobody will decide it: one that led before came back for a moment, or what it
   * sent came late. Until there is another topology that voter would bar whom it excludes.
   */
  boolean hasUndecided(Topology current) {
    return undecidedNumbers.containsValue(current.number());
  }

  /** Whether a member holds a lease as far as is known. */
  boolean isLeased(Member member) {
    return standings.getOrDefault(member, LeaseStanding.UNKNOWN).isLeased;
  }

  /** Whether a member leads as far as is known. */
  boolean isLeader(Member member) {
    return standings.getOrDefault(member, LeaseStanding.UNKNOWN).isLeader;
  }

  /** Another life of a node that is a member, and answers; null if there is none. */
  private @Nullable Member sameNodeThere(Topology current, Member member) {
    return current.members().stream()
        .filter(life -> life.isSameNode(member) && !life.equals(member) && isHeard(life))
        .findFirst()
        .orElse(null);
  }

  /** A life of a node was told that its store counts no more. */
  void discarded(Member life) {
    if (discarded.size() < MAX_REMEMBERED_REQUESTS) {
      discarded.add(life.nodeId());
    }
  }

  /** Whether of all that a node may hold a member that answers is an owner too. */
  boolean othersHold(Topology current, Member node) {
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
                                && isHeard(owner)));
  }

  /** When somebody asked last, and the seat it said it has. */
  private record JoinRequest(long requestedNanos, MemberCapacity capacity) {}

  /**
   * Somebody asks to be admitted, as one that comes anew or that was excluded. Not if its node is a
   * member in another life that is there: what an earlier one said may come late, and would be
   * taken for the next.
   */
  void onJoinRequest(
      Topology current, Member member, boolean comesAnew, MemberCapacity memberCapacity, long now) {
    if (sameNodeThere(current, member) == null
        && memberHealth.mayJoin(member)
        && hasRoomFor(current, member)) {
      // Of one node only one life is there, the last to ask.
      joinRequests.keySet().removeIf(other -> other.isSameNode(member) && !other.equals(member));
      joinRequests.put(member, new JoinRequest(now, memberCapacity));
      if (comesAnew) {
        joiningAnew.add(member);
      }
    }
  }

  /** Whether nodes with stores can note a grid with one member more. Who holds data is let in. */
  private boolean hasRoomFor(Topology current, Member member) {
    List<Member> members = new ArrayList<>(current.members());
    joinRequests.keySet().stream().filter(one -> !members.contains(one)).forEach(members::add);
    if (joinRequests.containsKey(member) || members.stream().anyMatch(member::isSameNode)) {
      return true;
    }
    members.add(member);
    String reason = AgreementJournal.refusalReason(current, members);
    if (reason == null || isFormerOwner(current, member)) {
      return true;
    }
    if (refusedMembers.size() < MAX_REMEMBERED_REQUESTS && refusedMembers.add(member)) {
      LOG.log(System.Logger.Level.ERROR, "node {0} is not admitted: {1}", member, reason);
    }
    return false;
  }

  private static boolean isFormerOwner(Topology current, Member member) {
    return current.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .anyMatch(
            segment ->
                segment.lastOwners().stream().anyMatch(member::isSameNode)
                    || (segment.isLost() && segment.writers().contains(member)));
  }

  /** A member reports; returns whether that may change something. */
  boolean onReport(Topology current, Member from, MemberReport report) {
    if (!current.members().contains(from)) {
      return false;
    }
    return switch (report) {
      case MemberReport.SegmentReceived(SegmentEpoch receipt) -> {
        JoinerKey receiver = new JoinerKey(receipt.cache(), receipt.segment(), from);
        boolean isNews =
            !isPast(current, receiver, receipt.epoch())
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
      case MemberReport.CacheRequested(CacheDefinition definition) ->
          requestCache(current, definition);
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
            .forEach(member -> memberHealth.recordComplaint(from, member));
        yield true;
      }
    };
  }

  /** Who has received a segment. */
  private record JoinerKey(int cache, int segment, Member joiner) {}

  /**
   * Whether what was said in an epoch means nothing any more: who said so has stopped to join
   * since, or there is no such segment.
   */
  private static boolean isPast(Topology current, JoinerKey receiver, int epoch) {
    SegmentOwnership ownership = current.findOwnership(receiver.cache, receiver.segment);
    return ownership == null
        || (epoch <= ownership.epoch()
            && ownership.joiners().stream()
                .noneMatch(
                    joiner ->
                        joiner.member().equals(receiver.joiner) && joiner.sinceEpoch() <= epoch));
  }

  /** Whether it matters that an epoch is opened: it is the present one and not confirmed. */
  private static boolean isOpeningAwaited(Topology current, SegmentEpoch opening) {
    SegmentOwnership ownership = current.findOwnership(opening.cache(), opening.segment());
    return ownership != null
        && ownership.epoch() == opening.epoch()
        && ownership.isUnconfirmed()
        && !ownership.isUnowned();
  }

  private static boolean isCurrentEpoch(Topology current, SegmentEpoch epoch) {
    SegmentOwnership ownership = current.findOwnership(epoch.cache(), epoch.segment());
    return ownership != null && ownership.epoch() == epoch.epoch();
  }

  /**
   * Whether a member counts as one that has what the segment held in an epoch, or is asked for it.
   */
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
        current.cacheIndex(definition.name()) < 0
            && requestedCaches.size() < MAX_REMEMBERED_REQUESTS
            && requestedCaches.stream().noneMatch(one -> one.name().equals(definition.name()))
            && AgreementJournal.refusalReason(current, definition) == null;
    return isNew && requestedCaches.add(definition);
  }

  // ------------------------------------------------------------------ who is silent

  /** Tells another voter whom this one does not hear. */
  void writeSilent(Output out, Topology current) {
    List<Member> silent =
        current.members().stream()
            .filter(member -> leaseTable.silenceNanos(member) >= LeaseTable.EXCLUSION_WAIT_NANOS)
            .toList();
    out.writeVarint(silent.size());
    for (Member member : silent) {
      out.writeId(member.id());
    }
  }

  /** Another voter tells whom it does not hear. */
  void readSilent(Member from, Input in) {
    int count = in.readCount(in.remaining());
    Set<UUID> silent = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      silent.add(in.readId());
    }
    unheardByVoter.put(from, silent);
  }

  /**
   * Who is to be excluded: whom a majority of the voters does not hear any more, and who, if the
   * transport calls it gone as well, is out of all leases; else one that is heard and holds others
   * up. Nobody, while those of the voters that are heard of are no majority: an exclusion that
   * needed the vote of the excluded would be one by a minority.
   */
  private List<Member> membersToExclude(Topology current, List<Member> view) {
    List<Member> silent = new ArrayList<>();
    for (Member member : current.members()) {
      long silence = leaseTable.silenceNanos(member);
      boolean gone =
          silence >= LeaseTable.EXCLUSION_WAIT_NANOS
              && (!view.contains(member) || successorOf(member) != null);
      if (gone
          || (silence >= LeaseTable.EXCLUDE_AFTER_NANOS && isUnheardByMajority(current, member))) {
        silent.add(member);
      } else if (silence >= LeaseTable.SUSPECT_AFTER_NANOS
          && silence < LeaseTable.EXCLUDE_AFTER_NANOS) {
        // Those that fall silent together go together: the exclusion of another would have to wait
        // until the change of voters is as old as a lease. Whom others hear is not waited for.
        return List.of();
      }
    }
    if (silent.isEmpty()) {
      Member worst = memberHealth.chooseExclusion(current, messaging.self());
      if (worst != null && majorityStays(current, List.of(worst))) {
        memberHealth.recordExclusion(worst);
        return List.of(worst);
      }
    }
    return majorityStays(current, silent) ? silent : List.of();
  }

  /** Another life of its node that asks to be admitted, if there is one: this one is dead. */
  private @Nullable Member successorOf(Member member) {
    return joinRequests.keySet().stream()
        .filter(life -> life.isSameNode(member) && !life.equals(member))
        .findFirst()
        .orElse(null);
  }

  /**
   * Whether voters that stay and are heard are a majority; one that is silent too may be dead. An
   * excluded one stays if its node's next life is admitted in its place: else those that are left
   * would be a minority, or nobody but newcomers.
   */
  private boolean majorityStays(Topology current, List<Member> excluded) {
    return current.membership().isMajority(voter -> stays(voter, excluded.contains(voter)));
  }

  private boolean stays(Member voter, boolean isExcluded) {
    Member life = isExcluded ? successorOf(voter) : incarnations.latestOf(voter);
    return life != null && isHeard(life);
  }

  private boolean isHeard(Member member) {
    return leaseTable.silenceNanos(member) < LeaseTable.SUSPECT_AFTER_NANOS;
  }

  /**
   * Whether every voter that stays is there. Nobody is admitted while one may be dead: a newcomer
   * votes too, and the more voters there are, the more of them must answer. Besides, who has died
   * cannot be excluded before a change of voters is as old as a lease; and where a process dies and
   * starts again at once the newcomer asks before the silence of the dead is long enough.
   */
  private boolean allVotersAnswer(Topology current, List<Member> excluded) {
    return current.membership().voters().stream()
        .allMatch(voter -> excluded.contains(voter) || isHeard(incarnations.latestOf(voter)));
  }

  /** Who may be admitted; the next life of a voter is no more of a voter than the former one. */
  private List<Member> admissibleMembers(Topology current, List<Member> excluded) {
    boolean newcomers = allVotersAnswer(current, excluded);
    return joinRequests.keySet().stream()
        .filter(one -> current.membership().isVoter(one) ? isHeard(one) : newcomers)
        .toList();
  }

  private boolean isUnheardByMajority(Topology current, Member member) {
    int count = 1;
    for (Member voter : current.membership().voters()) {
      Set<UUID> silent = unheardByVoter.get(incarnations.latestOf(voter));
      if (silent != null && silent.contains(member.id())) {
        count++;
      }
    }
    return current.membership().isMajority(count);
  }

  // ------------------------------------------------------------------ what comes next

  /** The topology to be proposed; the present one when nothing is to change. */
  Topology planNext(Topology current, List<Member> view, long now) {
    joinRequests
        .values()
        .removeIf(request -> now - request.requestedNanos > JOIN_REQUEST_VALID_NANOS);
    joiningAnew.retainAll(joinRequests.keySet());
    Boolean suspend = requestedSuspension;
    return TopologyPlanner.plan(
        current,
        new TopologyPlanner.PlannerFacts() {
          @Override
          public List<Member> silentMembers() {
            return LeaderState.this.membersToExclude(current, view);
          }

          @Override
          public List<Member> joiningMembers() {
            return admissibleMembers(current, silentMembers());
          }

          @Override
          public MemberCapacity capacityOf(Member member) {
            JoinRequest request = joinRequests.get(member);
            return request == null ? MemberCapacity.DEFAULT : request.capacity;
          }

          @Override
          public boolean hasNoCopies(Member member) {
            return (current.gridDefinition().prefersAvailability() || member.hasStore())
                && joiningAnew.contains(member);
          }

          @Override
          public boolean discarded(Member member) {
            return discarded.contains(member.nodeId());
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
          public boolean isWritten() {
            return written;
          }

          @Override
          public boolean isRebalanceSuspended() {
            return suspend == null ? current.gridDefinition().isRebalanceSuspended() : suspend;
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
