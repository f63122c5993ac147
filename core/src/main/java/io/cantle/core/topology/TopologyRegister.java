package io.cantle.core.topology;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The register that holds the topology: the voters of one topology decide the next one, by a round
 * of Paxos for each. A proposer whose ballot a majority has promised to obey proposes round after
 * round without asking again, until somebody with a higher ballot comes. A topology that some voter
 * may have accepted is proposed before any other.
 *
 * <p>Because the voters of a round are those of the topology before, which everybody who takes part
 * knows, a change of voters needs no rule of its own.
 *
 * <p>A voter is a node. One with a store notes what it promises and accepts, and says so only then
 * ({@link AgreementJournal}); its next life is the same voter, and stands by it.
 *
 * <p>Source: L. Lamport, "Paxos made simple" (2001), 2 and 3; D. Rystsov, "CASPaxos" (2018), for a
 * register instead of a log.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper, which is held whenever it is called.
 */
final class TopologyRegister {
  /** What a register brings about. */
  interface RegisterListener {
    /** The topology known to be decided last. */
    Topology currentTopology();

    /** This node knows now of a topology that is decided. */
    void onDecided(Topology topology);

    /** This node may propose. */
    void onReady();

    /** The topology adopted last will be known to the next life of this node. */
    default void onSaved() {}
  }

  /** How long one who was promised obedience has before another without a lease takes the lead. */
  private static final long SETTLE_NANOS = 2 * LeaseTable.EXCLUSION_WAIT_NANOS;

  private final MessagingService messaging;
  private final Environment environment;
  private final ReentrantLock lock;
  private final LeaseTable leaseTable;
  private final Lease lease;
  private final IncarnationTable incarnations;
  private final AgreementJournal journal;
  private final RegisterListener listener;

  // The voter.
  private Ballot promisedBallot = Ballot.NONE;
  private Ballot acceptedBallot = Ballot.NONE;
  private volatile @Nullable Topology acceptedTopology;
  private volatile @Nullable Topology heldTopology;
  private final Set<Member> barredMembers = new TreeSet<>();
  private long promisedNanos;
  private AgreementJournal.@Nullable AgreementRecord restoredRecord;

  // The proposer.
  private Ballot ballot = Ballot.NONE;
  private final Map<UUID, Member> promisers = new TreeMap<>();
  private Ballot foundBallot = Ballot.NONE;
  private @Nullable Topology foundTopology;
  private @Nullable Topology proposal;
  private final Map<UUID, Member> acceptors = new TreeMap<>();
  private @Nullable Topology encodedFor;
  private byte[] encodedTopology = new byte[0];

  TopologyRegister(
      MessagingService messaging,
      Environment environment,
      ReentrantLock lock,
      LeaseTable leaseTable,
      Lease lease,
      IncarnationTable incarnations,
      AgreementJournal journal,
      RegisterListener listener) {
    this.messaging = messaging;
    this.environment = environment;
    this.lock = lock;
    this.leaseTable = leaseTable;
    this.lease = lease;
    this.incarnations = incarnations;
    this.journal = journal;
    this.listener = listener;
  }

  /** Goes on from what an earlier life of this node has promised and accepted. */
  void restore(AgreementJournal.AgreementRecord record) {
    recordPromise(record.promisedBallot());
    restoredRecord = record;
  }

  /** What it has accepted goes with the topology it acted by, which is adopted first of all. */
  private void restoreAccepted(AgreementJournal.AgreementRecord record) {
    Topology topology = record.acceptedTopology();
    if (topology != null && record.currentTopology().equals(listener.currentTopology())) {
      acceptedBallot = record.acceptedBallot();
      acceptedTopology = topology;
      barredMembers.addAll(excludedMembers(record.currentTopology(), topology));
    }
  }

  private void save(Runnable onSaved) {
    journal.save(record(), onSaved);
  }

  /** What the next life of this node has to know. */
  AgreementJournal.AgreementRecord record() {
    return new AgreementJournal.AgreementRecord(
        promisedBallot, acceptedBallot, acceptedTopology, listener.currentTopology());
  }

  /** Keeps the first topology of a grid before this node is in it. */
  void saveFirst(Topology first, Runnable onSaved) {
    journal.save(
        new AgreementJournal.AgreementRecord(promisedBallot, Ballot.NONE, null, first), onSaved);
  }

  /** Whose ballot was promised last. */
  UUID promisedProposer() {
    return promisedBallot.proposer();
  }

  /** Whether this node leads: as far as it knows nobody has a higher ballot. */
  boolean isLeading() {
    return !ballot.equals(Ballot.NONE);
  }

  /** Whether something may be proposed now. */
  boolean isReady() {
    return isLeading() && proposal == null && isMajority(promisers);
  }

  private boolean isMajority(Map<UUID, Member> answered) {
    return listener
        .currentTopology()
        .membership()
        .isMajority(voter -> answered.containsKey(voter.nodeId()));
  }

  /** Those to be asked so that the voters answer that have not. */
  private List<Member> unansweredVoters(Map<UUID, Member> answered) {
    return listener.currentTopology().membership().voters().stream()
        .filter(voter -> !answered.containsKey(voter.nodeId()))
        .flatMap(voter -> incarnations.addressesOf(voter).stream())
        .toList();
  }

  /** Whether this voter has taken up a topology without this member: no lease is granted to it. */
  boolean isBarred(Member member) {
    return barredMembers.contains(member);
  }

  /** Whether this voter has taken up something nobody has decided yet; any thread may ask. */
  boolean hasPending() {
    return acceptedTopology != null || heldTopology != null;
  }

  /** Whether a write may have been acknowledged in the next topology, if that one is decided. */
  boolean mayBeWritten() {
    Topology topology = acceptedTopology;
    Topology waiting = heldTopology;
    return (topology != null && topology.gridDefinition().isWritten())
        || (waiting != null && waiting.gridDefinition().isWritten());
  }

  /**
   * Whether this voter has accepted other voters: it grants nothing in the name of the old ones.
   * What it only holds back does not count: everybody's lease would run out meanwhile.
   */
  boolean replacesVoters() {
    long since = listener.currentTopology().membership().votersSinceNumber();
    Topology next = acceptedTopology;
    return next != null && next.membership().votersSinceNumber() != since;
  }

  /**
   * Whether this voter has taken up something nobody has decided: that may keep everybody from a
   * lease, so that it must be settled even by one who has none.
   */
  boolean isBlocked() {
    return (acceptedTopology != null || heldTopology != null || !barredMembers.isEmpty())
        && environment.clock().nanoTime() - promisedNanos > SETTLE_NANOS;
  }

  /**
   * This node is in no grid any more. What it promised it goes on keeping: it may be admitted
   * again.
   */
  void reset() {
    resign();
    onTopologyAdopted();
  }

  /** A later topology is known: this round is over. */
  void onTopologyAdopted() {
    barredMembers.clear();
    acceptedTopology = null;
    acceptedBallot = Ballot.NONE;
    heldTopology = null;
    proposal = null;
    foundTopology = null;
    foundBallot = Ballot.NONE;
    acceptors.clear();
    AgreementJournal.AgreementRecord record = restoredRecord;
    restoredRecord = null;
    if (record != null) {
      restoreAccepted(record);
    }
    save(listener::onSaved);
    if (isLeading() && !isReady()) {
      sendPrepare();
    }
  }

  // ------------------------------------------------------------------ proposing

  /** Takes the lead with a ballot above all that were seen. */
  void startLeading() {
    long highest = Math.max(promisedBallot.counter(), ballot.counter());
    resign();
    ballot = new Ballot(highest + 1, messaging.self().id());
    sendPrepare();
  }

  void resign() {
    ballot = Ballot.NONE;
    promisers.clear();
    proposal = null;
    foundTopology = null;
    foundBallot = Ballot.NONE;
    acceptors.clear();
  }

  private void sendPrepare() {
    Topology current = listener.currentTopology();
    for (Member voter : unansweredVoters(promisers)) {
      Output out = messaging.newMessage(MessageKind.PREPARE);
      ballot.write(out);
      writeTopology(out, current);
      send(voter, out);
    }
  }

  /** Proposes the next topology; only when {@link #isReady}. */
  void propose(Topology next) {
    proposal = next;
    acceptors.clear();
    sendAccept(next);
  }

  private void sendAccept(Topology next) {
    // All accept at about the same time: in between, who has accepted other voters grants nothing,
    // and everybody's lease might run out while one waits for that of the excluded.
    long wait = leaseTable.exclusionWaitNanos(excludedMembers(listener.currentTopology(), next));
    for (Member voter : unansweredVoters(acceptors)) {
      Output out = messaging.newMessage(MessageKind.ACCEPT);
      ballot.write(out);
      writeTopology(out, next);
      out.writeLong(wait);
      send(voter, out);
    }
  }

  /** Asks again whoever has not answered; called now and then. */
  void resend() {
    if (!isLeading()) {
      return;
    }
    Topology next = proposal;
    if (!isMajority(promisers)) {
      sendPrepare();
    } else if (next != null) {
      // Who did not answer may lack the topology this one follows.
      Topology current = listener.currentTopology();
      for (Member voter : unansweredVoters(acceptors)) {
        if (!voter.equals(messaging.self())) {
          sendTopology(voter, current);
        }
      }
      sendAccept(next);
    }
  }

  /** Tells somebody a decided topology. */
  void sendTopology(Member member, Topology topology) {
    Output out = messaging.newMessage(MessageKind.TOPOLOGY);
    writeTopology(out, topology);
    send(member, out);
  }

  /** A topology goes to everybody, and may name many members and segments: it is encoded once. */
  @SuppressWarnings("ReferenceEquality") // Comparing two would take as long as encoding one.
  private void writeTopology(Output out, Topology topology) {
    if (topology != encodedFor) {
      Output encoded = new Output(1_024);
      topology.write(encoded);
      encodedTopology = encoded.toByteArray();
      encodedFor = topology;
    }
    out.write(encodedTopology);
  }

  private void send(Member to, Output message) {
    messaging.postAsync(to, message);
  }

  /** A voter obeys, and says what it has accepted. */
  void onPromised(Member from, Input in) {
    long base = in.readLong();
    Ballot obeyed = Ballot.read(in);
    Ballot acceptedInBallot = Ballot.read(in);
    Topology topology = in.readBoolean() ? Topology.read(in) : null;
    Topology current = listener.currentTopology();
    if (!isLeading()
        || !obeyed.equals(ballot)
        || base != current.number()
        || proposal != null
        || !current.membership().isVoter(from)) {
      return;
    }
    if (topology != null && acceptedInBallot.compareTo(foundBallot) > 0) {
      foundTopology = topology;
      foundBallot = acceptedInBallot;
    }
    if (promisers.put(from.nodeId(), from) == null && isMajority(promisers)) {
      Topology first = foundTopology;
      if (first != null) {
        propose(first);
      } else {
        listener.onReady();
      }
    }
  }

  /** A voter has accepted. */
  void onAccepted(Member from, Input in) {
    long number = in.readLong();
    Ballot obeyed = Ballot.read(in);
    Topology next = proposal;
    if (next == null || !obeyed.equals(ballot) || number != next.number()) {
      return;
    }
    acceptors.put(from.nodeId(), from);
    if (isMajority(acceptors)) {
      List<Member> informed = new ArrayList<>(acceptors.values());
      for (Member voter : informed) {
        if (!voter.equals(messaging.self())) {
          Output out = messaging.newMessage(MessageKind.DECIDED);
          out.writeLong(number);
          ballot.write(out);
          send(voter, out);
        }
      }
      List<Member> others = new ArrayList<>(next.members());
      listener.currentTopology().members().stream()
          .filter(m -> !others.contains(m))
          .forEach(others::add);
      others.removeAll(informed);
      others.remove(messaging.self());
      others.forEach(member -> sendTopology(member, next));
      listener.onDecided(next);
    }
  }

  /** A voter obeys somebody else. */
  void onRejected(Input in) {
    Ballot higher = Ballot.read(in);
    if (isLeading() && higher.compareTo(ballot) > 0) {
      resign();
      // So that a later ballot of this node is above.
      if (higher.compareTo(promisedBallot) > 0) {
        promisedBallot = higher;
      }
    }
  }

  // ------------------------------------------------------------------ voting

  /** Somebody asks to be obeyed; the topology it goes on from is known here by now. */
  void onPrepare(Member from, Ballot requestedBallot, long base) {
    if (!takesPart(from, base) || rejectIfLower(from, requestedBallot)) {
      return;
    }
    recordPromise(requestedBallot);
    heldTopology = null;
    Output out = messaging.newMessage(MessageKind.PROMISED);
    out.writeLong(base);
    requestedBallot.write(out);
    acceptedBallot.write(out);
    Topology topology = acceptedTopology;
    out.writeBoolean(topology != null);
    if (topology != null) {
      topology.write(out);
    }
    save(() -> send(from, out));
  }

  /** Whether this node takes part in the round behind a topology; tells who is behind what is. */
  private boolean takesPart(Member from, long base) {
    Topology current = listener.currentTopology();
    if (current.number() > base) {
      sendTopology(from, current);
    }
    return current.number() == base && current.membership().isVoter(messaging.self());
  }

  private boolean rejectIfLower(Member from, Ballot requestedBallot) {
    if (requestedBallot.compareTo(promisedBallot) >= 0) {
      return false;
    }
    Output out = messaging.newMessage(MessageKind.REJECTED);
    promisedBallot.write(out);
    send(from, out);
    return true;
  }

  private void recordPromise(Ballot newBallot) {
    if (newBallot.compareTo(promisedBallot) > 0) {
      promisedNanos = environment.clock().nanoTime();
    }
    promisedBallot = newBallot;
  }

  /**
   * Somebody asks for a topology to be accepted.
   *
   * @param waitNanos for how long the proposer itself waits for leases of those to be excluded
   */
  void onAccept(Member from, Ballot requestedBallot, Topology next, long waitNanos) {
    Topology current = listener.currentTopology();
    if (!next.gridId().equals(current.gridId())
        || !takesPart(from, next.number() - 1)
        || rejectIfLower(from, requestedBallot)) {
      return;
    }
    recordPromise(requestedBallot);
    List<Member> excluded = excludedMembers(current, next);
    // Until the round is over, though this proposal may be followed by another: else the wait for
    // the leases would begin anew each time.
    barredMembers.addAll(excluded);
    if (excluded.contains(messaging.self())) {
      lease.renounce();
    }
    boolean again = acceptedTopology != null && acceptedBallot.equals(requestedBallot);
    long together = again ? 0 : Math.min(waitNanos, LeaseTable.EXCLUSION_WAIT_NANOS);
    long wait = Math.max(leaseTable.exclusionWaitNanos(excluded), together);
    if (wait > 0) {
      // From now on no lease is granted that would have to be waited for.
      heldTopology = next;
      environment.clock().schedule(wait, () -> acceptLater(from, requestedBallot, next));
      return;
    }
    heldTopology = null;
    acceptedTopology = next;
    acceptedBallot = requestedBallot;
    if (replacesVoters()) {
      lease.limitDuration();
    }
    Output out = messaging.newMessage(MessageKind.ACCEPTED);
    out.writeLong(next.number());
    requestedBallot.write(out);
    save(() -> send(from, out));
  }

  private void acceptLater(Member from, Ballot requestedBallot, Topology next) {
    lock.lock();
    try {
      Topology waiting = heldTopology;
      if (waiting != null
          && waiting.number() == next.number()
          && requestedBallot.equals(promisedBallot)
          && listener.currentTopology().number() == next.number() - 1) {
        onAccept(from, requestedBallot, next, 0);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Who is to go. */
  private static List<Member> excludedMembers(Topology from, Topology to) {
    List<Member> excluded = new ArrayList<>(from.members());
    excluded.removeAll(to.members());
    return excluded;
  }

  /** What this voter accepted in that ballot is decided. */
  void onDecided(long number, Ballot acceptedInBallot) {
    Topology topology = acceptedTopology;
    if (topology != null
        && topology.number() == number
        && acceptedBallot.equals(acceptedInBallot)) {
      listener.onDecided(topology);
    }
  }
}
