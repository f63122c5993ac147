package io.cantle.core.agreement;

import io.cantle.core.agreement.AgreementJournal.AgreementRecord;
import io.cantle.core.agreement.RegisterMessage.Accept;
import io.cantle.core.agreement.RegisterMessage.Accepted;
import io.cantle.core.agreement.RegisterMessage.Decided;
import io.cantle.core.agreement.RegisterMessage.Prepare;
import io.cantle.core.agreement.RegisterMessage.Promised;
import io.cantle.core.agreement.RegisterMessage.Rejected;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The replicated register that holds the topology. The voters of one topology decide the next one,
 * in one round of Paxos each. A proposer that a majority has promised to obey proposes round after
 * round without asking again, until a node with a higher ballot comes. A topology that some voter
 * may have accepted is proposed before any other.
 *
 * <p>The voters of a round are those of the previous topology, which every participant knows. So a
 * change of voters needs no rule of its own.
 *
 * <p>A voter is a node, not an incarnation. A voter with a store records what it promises and
 * accepts, and answers only when that is on disk ({@link AgreementJournal}). Its next incarnation
 * is the same voter and keeps those promises.
 *
 * <p>Source: L. Lamport, "Paxos made simple" (2001), 2 and 3; D. Rystsov, "CASPaxos" (2018), for a
 * register instead of a log.
 *
 * <p>The register is a step machine: {@link #step} takes an event and returns what is to be done.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}, which the caller holds.
 */
public final class TopologyRegister {
  /**
   * How long a proposer that was promised obedience has to settle the round. After that, another
   * voter takes the lead even without a lease.
   */
  private static final long SETTLE_NANOS = 2 * LeaseTable.EXCLUSION_WAIT_NANOS;

  private final Member self;
  private final LeaseTable leaseTable;
  private final IncarnationTable incarnations;
  private Topology current = Topology.NONE;

  // State of the voter.
  private Ballot promisedBallot = Ballot.NONE;
  private Ballot acceptedBallot = Ballot.NONE;
  private volatile @Nullable Topology acceptedTopology;
  private volatile @Nullable Topology heldTopology;
  private final Set<Member> barredMembers = new TreeSet<>();
  private long promisedNanos;
  private @Nullable AgreementRecord restoredRecord;

  // State of the proposer.
  private Ballot ballot = Ballot.NONE;
  private final Map<UUID, Member> promisers = new TreeMap<>();
  private Ballot foundBallot = Ballot.NONE;
  private @Nullable Topology foundTopology;
  private @Nullable Topology proposal;
  private final Map<UUID, Member> acceptors = new TreeMap<>();

  /** What is to be done after the present step. */
  private List<AgreementEffect> effects = new ArrayList<>();

  TopologyRegister(Member self, LeaseTable leaseTable, IncarnationTable incarnations) {
    this.self = self;
    this.leaseTable = leaseTable;
    this.incarnations = incarnations;
  }

  /** Takes an event, and returns what is to be done, in that order. */
  public List<AgreementEffect> step(RegisterEvent event, long now) {
    effects = new ArrayList<>();
    switch (event) {
      case RegisterEvent.MessageReceived(Member from, RegisterMessage message) ->
          onMessage(from, message, now);
      case RegisterEvent.DelayEnded(Member from, Accept request) ->
          onDelayEnded(from, request, now);
      case RegisterEvent.TopologyAdopted(Topology topology) -> onTopologyAdopted(topology);
      case RegisterEvent.LeadRequested() -> startLeading();
      case RegisterEvent.TopologyProposed(Topology next) -> propose(next, now);
      case RegisterEvent.ResendDue() -> resend(now);
    }
    return effects;
  }

  private void onMessage(Member from, RegisterMessage message, long now) {
    switch (message) {
      case Prepare(Ballot requested, Topology base) ->
          onPrepare(from, requested, base.number(), now);
      case Promised promise -> onPromised(from, promise, now);
      case Accept request -> onAccept(from, request, request.waitNanos(), now);
      case Accepted(long number, Ballot answered) -> onAccepted(from, number, answered);
      case Rejected(Ballot higher) -> onRejected(higher);
      case Decided(long number, Ballot acceptedIn) -> onDecided(number, acceptedIn);
    }
  }

  /** Continues from what an earlier incarnation of this node has promised and accepted. */
  public void restore(AgreementRecord record, long now) {
    recordPromise(record.promisedBallot(), now);
    restoredRecord = record;
  }

  /**
   * Restores the accepted topology. It belongs with the topology that was current at the time,
   * which is adopted first.
   */
  private void restoreAccepted(AgreementRecord record) {
    Topology topology = record.acceptedTopology();
    if (topology != null && record.currentTopology().equals(current)) {
      acceptedBallot = record.acceptedBallot();
      acceptedTopology = topology;
      barredMembers.addAll(excludedMembers(record.currentTopology(), topology));
    }
  }

  /** What the next incarnation of this node has to know. */
  public AgreementRecord record() {
    return new AgreementRecord(promisedBallot, acceptedBallot, acceptedTopology, current);
  }

  /** The proposer of the ballot that was promised last. */
  UUID promisedProposer() {
    return promisedBallot.proposer();
  }

  /** Whether this node leads: as far as it knows, no node has a higher ballot. */
  public boolean isLeading() {
    return !ballot.equals(Ballot.NONE);
  }

  /** Whether this node may propose something now. */
  public boolean isReady() {
    return isLeading() && proposal == null && isMajority(promisers);
  }

  private boolean isMajority(Map<UUID, Member> answered) {
    return current.membership().isMajority(voter -> answered.containsKey(voter.nodeId()));
  }

  /** The members to send a request to, so that the voters that have not answered yet do. */
  private List<Member> unansweredVoters(Map<UUID, Member> answered) {
    return incarnations.addressesOf(
        current.membership().voters().stream()
            .filter(voter -> !answered.containsKey(voter.nodeId()))
            .toList());
  }

  /**
   * Whether this voter has accepted, or holds back, a topology without this member. If so, it
   * grants the member no lease.
   */
  boolean isBarred(Member member) {
    return barredMembers.contains(member);
  }

  /**
   * Whether this voter has accepted, or holds back, a topology that is not known to be decided. Any
   * thread may call this.
   */
  public boolean hasPending() {
    return acceptedTopology != null || heldTopology != null;
  }

  /** Whether a write may have been acknowledged in the next topology, if that one is decided. */
  public boolean mayBeWritten() {
    Topology topology = acceptedTopology;
    Topology held = heldTopology;
    return (topology != null && topology.gridDefinition().isWritten())
        || (held != null && held.gridDefinition().isWritten());
  }

  /**
   * Whether this voter has accepted a topology with other voters. If so, it grants nothing in the
   * name of the old ones. A topology that it only holds back does not count, or every member's
   * lease would run out in the meantime.
   */
  boolean replacesVoters() {
    long since = current.membership().votersSinceNumber();
    Topology next = acceptedTopology;
    return next != null && next.membership().votersSinceNumber() != since;
  }

  /**
   * Whether this voter has long accepted or held back a topology that is not known to be decided.
   * That may keep every member from a lease, so even a node without one must settle it.
   */
  public boolean isBlocked(long now) {
    return (hasPending() || !barredMembers.isEmpty()) && now - promisedNanos > SETTLE_NANOS;
  }

  /** Ends this round, because a later topology is known. */
  private void onTopologyAdopted(Topology topology) {
    current = topology;
    barredMembers.clear();
    acceptedTopology = null;
    acceptedBallot = Ballot.NONE;
    heldTopology = null;
    clearProposal();
    AgreementRecord record = restoredRecord;
    restoredRecord = null;
    if (record != null) {
      restoreAccepted(record);
    }

    effects.add(new AgreementEffect.SaveAdopted(record()));
    if (isLeading() && !isReady()) {
      sendPrepare();
    }
  }

  // ------------------------------------------------------------------ proposing

  private void startLeading() {
    long highest = Math.max(promisedBallot.counter(), ballot.counter());
    resign();
    ballot = new Ballot(highest + 1, self.id());
    sendPrepare();
  }

  /** Stops leading: this node proposes nothing more. */
  public void resign() {
    ballot = Ballot.NONE;
    promisers.clear();
    clearProposal();
  }

  private void clearProposal() {
    proposal = null;
    foundTopology = null;
    foundBallot = Ballot.NONE;
    acceptors.clear();
  }

  private void sendPrepare() {
    send(unansweredVoters(promisers), new Prepare(ballot, current));
  }

  private void propose(Topology next, long now) {
    proposal = next;
    acceptors.clear();
    sendAccept(next, now);
  }

  private void sendAccept(Topology next, long now) {
    // All voters are to accept at about the same time. A voter that has accepted new voters grants
    // nothing until the decision. If others still waited for the leases of excluded members, every
    // lease might run out.
    long wait = leaseTable.exclusionWaitNanos(excludedMembers(current, next), now);
    send(unansweredVoters(acceptors), new Accept(ballot, next, wait));
  }

  private void resend(long now) {
    if (!isLeading()) {
      return;
    }
    Topology next = proposal;
    if (!isMajority(promisers)) {
      sendPrepare();
    } else if (next != null) {
      // A voter that did not answer may lack the topology that this one follows.
      sendTopology(withoutSelf(unansweredVoters(acceptors)), current);
      sendAccept(next, now);
    }
  }

  private void send(List<Member> to, RegisterMessage message) {
    effects.add(new AgreementEffect.Send(to, message));
  }

  private void sendTopology(List<Member> to, Topology topology) {
    effects.add(new AgreementEffect.SendTopology(to, topology));
  }

  private List<Member> withoutSelf(Collection<Member> members) {
    return members.stream().filter(member -> !member.equals(self)).toList();
  }

  /** Handles the promise of a voter to obey, which says what the voter has accepted. */
  private void onPromised(Member from, Promised promise, long now) {
    if (!isLeading()
        || !promise.ballot().equals(ballot)
        || promise.baseNumber() != current.number()
        || proposal != null
        || !current.membership().isVoter(from)) {
      return;
    }
    if (promise.accepted() != null && promise.acceptedBallot().compareTo(foundBallot) > 0) {
      foundTopology = promise.accepted();
      foundBallot = promise.acceptedBallot();
    }
    if (promisers.put(from.nodeId(), from) == null && isMajority(promisers)) {
      Topology first = foundTopology;
      if (first != null) {
        propose(first, now);
      } else {
        effects.add(new AgreementEffect.BecomeReady());
      }
    }
  }

  /** Handles the answer of a voter that has accepted. */
  private void onAccepted(Member from, long number, Ballot answeredBallot) {
    Topology next = proposal;
    if (next == null || !answeredBallot.equals(ballot) || number != next.number()) {
      return;
    }
    acceptors.put(from.nodeId(), from);
    if (isMajority(acceptors)) {
      send(withoutSelf(acceptors.values()), new Decided(number, ballot));
      Set<Member> others = new LinkedHashSet<>(next.members());
      others.addAll(current.members());
      others.removeAll(acceptors.values());
      sendTopology(withoutSelf(others), next);
      effects.add(new AgreementEffect.Decide(next));
    }
  }

  /** Handles the answer of a voter that obeys another proposer. */
  private void onRejected(Ballot higher) {
    if (isLeading() && higher.compareTo(ballot) > 0) {
      resign();
      // So that the next ballot of this node is higher.
      if (higher.compareTo(promisedBallot) > 0) {
        promisedBallot = higher;
      }
    }
  }

  // ------------------------------------------------------------------ voting

  /**
   * Handles a proposer's request for obedience. The topology it starts from is known here by now.
   */
  private void onPrepare(Member from, Ballot requestedBallot, long base, long now) {
    if (!takesPart(from, base) || rejectIfLower(from, requestedBallot)) {
      return;
    }
    recordPromise(requestedBallot, now);
    heldTopology = null;
    answer(from, new Promised(base, requestedBallot, acceptedBallot, acceptedTopology));
  }

  private void answer(Member to, RegisterMessage message) {
    effects.add(new AgreementEffect.SendAnswer(record(), to, message));
  }

  /**
   * Whether this node takes part in the round after a topology. If the sender is behind, sends it
   * the current topology.
   */
  private boolean takesPart(Member from, long base) {
    if (current.number() > base) {
      sendTopology(List.of(from), current);
    }
    return current.number() == base && current.membership().isVoter(self);
  }

  private boolean rejectIfLower(Member from, Ballot requestedBallot) {
    if (requestedBallot.compareTo(promisedBallot) >= 0) {
      return false;
    }
    send(List.of(from), new Rejected(promisedBallot));
    return true;
  }

  private void recordPromise(Ballot newBallot, long now) {
    if (newBallot.compareTo(promisedBallot) > 0) {
      promisedNanos = now;
    }
    promisedBallot = newBallot;
  }

  /**
   * Handles a request to accept a topology.
   *
   * @param waitNanos how long the proposer itself waits for the leases of excluded members
   */
  private void onAccept(Member from, Accept request, long waitNanos, long now) {
    Ballot requestedBallot = request.ballot();
    Topology next = request.next();
    if (!next.gridId().equals(current.gridId())
        || !takesPart(from, next.number() - 1)
        || rejectIfLower(from, requestedBallot)) {
      return;
    }
    recordPromise(requestedBallot, now);
    List<Member> excluded = excludedMembers(current, next);
    // They stay barred until the round is over, even if another proposal follows this one.
    // Otherwise the wait for their leases would begin anew each time.
    barredMembers.addAll(excluded);
    if (excluded.contains(self)) {
      effects.add(new AgreementEffect.RenounceLease());
    }
    boolean isRepeated = acceptedTopology != null && acceptedBallot.equals(requestedBallot);
    long jointWaitNanos = isRepeated ? 0 : Math.min(waitNanos, LeaseTable.EXCLUSION_WAIT_NANOS);
    long wait = Math.max(leaseTable.exclusionWaitNanos(excluded, now), jointWaitNanos);
    if (wait > 0) {
      // From now on no lease is granted that would have to be waited for.
      heldTopology = next;
      effects.add(
          new AgreementEffect.DelayEvent(wait, new RegisterEvent.DelayEnded(from, request)));
      return;
    }
    heldTopology = null;
    acceptedTopology = next;
    acceptedBallot = requestedBallot;
    if (replacesVoters()) {
      effects.add(new AgreementEffect.LimitLease());
    }
    answer(from, new Accepted(next.number(), requestedBallot));
  }

  private void onDelayEnded(Member from, Accept request, long now) {
    Topology held = heldTopology;
    if (held != null
        && held.number() == request.next().number()
        && request.ballot().equals(promisedBallot)
        && current.number() == request.next().number() - 1) {
      onAccept(from, request, 0, now);
    }
  }

  /** The members that the next topology excludes or lets go. */
  private static List<Member> excludedMembers(Topology from, Topology to) {
    List<Member> excluded = new ArrayList<>(from.members());
    excluded.removeAll(to.members());
    return excluded;
  }

  /** Handles the message that what this voter accepted in that ballot is decided. */
  private void onDecided(long number, Ballot acceptedInBallot) {
    Topology topology = acceptedTopology;
    if (topology != null
        && topology.number() == number
        && acceptedBallot.equals(acceptedInBallot)) {
      effects.add(new AgreementEffect.Decide(topology));
    }
  }
}
