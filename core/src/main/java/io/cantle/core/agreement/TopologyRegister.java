package io.cantle.core.agreement;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology;
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
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}, which the caller holds.
 */
public final class TopologyRegister {
  /** What the register needs from its node, and what it reports to it. */
  public interface RegisterListener {
    /** The latest topology known to be decided. */
    Topology currentTopology();

    /** This node now knows that a topology is decided. */
    void onDecided(Topology topology);

    /** This node may propose. */
    void onReady();

    /** The next incarnation of this node will know the topology adopted last. */
    default void onSaved() {}
  }

  /**
   * How long a proposer that was promised obedience has to settle the round. After that, another
   * voter takes the lead even without a lease.
   */
  private static final long SETTLE_NANOS = 2 * LeaseTable.EXCLUSION_WAIT_NANOS;

  private final MessagingService messaging;
  private final Environment environment;
  private final ReentrantLock lock;
  private final LeaseTable leaseTable;
  private final Lease lease;
  private final IncarnationTable incarnations;
  private final AgreementJournal journal;
  private final RegisterListener listener;

  // State of the voter.
  private Ballot promisedBallot = Ballot.NONE;
  private Ballot acceptedBallot = Ballot.NONE;
  private volatile @Nullable Topology acceptedTopology;
  private volatile @Nullable Topology heldTopology;
  private final Set<Member> barredMembers = new TreeSet<>();
  private long promisedNanos;
  private AgreementJournal.@Nullable AgreementRecord restoredRecord;

  // State of the proposer.
  private Ballot ballot = Ballot.NONE;
  private final Map<UUID, Member> promisers = new TreeMap<>();
  private Ballot foundBallot = Ballot.NONE;
  private @Nullable Topology foundTopology;
  private @Nullable Topology proposal;
  private final Map<UUID, Member> acceptors = new TreeMap<>();
  private @Nullable Topology encodedFor;
  private int encodedVersion;
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

  /** Continues from what an earlier incarnation of this node has promised and accepted. */
  public void restore(AgreementJournal.AgreementRecord record) {
    recordPromise(record.promisedBallot());
    restoredRecord = record;
  }

  /**
   * Restores the accepted topology. It belongs with the topology that was current at the time,
   * which is adopted first.
   */
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

  /** What the next incarnation of this node has to know. */
  public AgreementJournal.AgreementRecord record() {
    return new AgreementJournal.AgreementRecord(
        promisedBallot, acceptedBallot, acceptedTopology, listener.currentTopology());
  }

  /** Records the first topology of a grid before this node is in that grid. */
  public void saveFirst(Topology first, Runnable onSaved) {
    journal.save(
        new AgreementJournal.AgreementRecord(promisedBallot, Ballot.NONE, null, first), onSaved);
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
    return listener
        .currentTopology()
        .membership()
        .isMajority(voter -> answered.containsKey(voter.nodeId()));
  }

  /** The members to send a request to, so that the voters that have not answered yet do. */
  private List<Member> unansweredVoters(Map<UUID, Member> answered) {
    return incarnations.addressesOf(
        listener.currentTopology().membership().voters().stream()
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
    long since = listener.currentTopology().membership().votersSinceNumber();
    Topology next = acceptedTopology;
    return next != null && next.membership().votersSinceNumber() != since;
  }

  /**
   * Whether this voter has long accepted or held back a topology that is not known to be decided.
   * That may keep every member from a lease, so even a node without one must settle it.
   */
  public boolean isBlocked() {
    return (acceptedTopology != null || heldTopology != null || !barredMembers.isEmpty())
        && environment.clock().nanoTime() - promisedNanos > SETTLE_NANOS;
  }

  /**
   * Handles that this node is in no grid any more. It still keeps what it has promised, for it may
   * be admitted again.
   */
  void reset() {
    resign();
    onTopologyAdopted();
  }

  /** Ends this round, because a later topology is known. */
  public void onTopologyAdopted() {
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

  /** Takes the lead with a ballot above all that this node has seen. */
  public void startLeading() {
    long highest = Math.max(promisedBallot.counter(), ballot.counter());
    resign();
    ballot = new Ballot(highest + 1, messaging.self().id());
    sendPrepare();
  }

  /** Stops leading: this node proposes nothing more. */
  public void resign() {
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
      Output out = messaging.newMessage(voter, MessageKind.PREPARE);
      ballot.write(out);
      writeTopology(out, current);
      send(voter, out);
    }
  }

  /** Proposes the next topology; only when {@link #isReady}. */
  public void propose(Topology next) {
    proposal = next;
    acceptors.clear();
    sendAccept(next);
  }

  private void sendAccept(Topology next) {
    // All voters are to accept at about the same time. A voter that has accepted new voters grants
    // nothing until the decision. If others still waited for the leases of excluded members, every
    // lease might run out.
    long wait = leaseTable.exclusionWaitNanos(excludedMembers(listener.currentTopology(), next));
    for (Member voter : unansweredVoters(acceptors)) {
      Output out = messaging.newMessage(voter, MessageKind.ACCEPT);
      ballot.write(out);
      writeTopology(out, next);
      out.writeLong(wait);
      send(voter, out);
    }
  }

  /** Repeats requests to voters that have not answered; called periodically. */
  public void resend() {
    if (!isLeading()) {
      return;
    }
    Topology next = proposal;
    if (!isMajority(promisers)) {
      sendPrepare();
    } else if (next != null) {
      // A voter that did not answer may lack the topology that this one follows.
      Topology current = listener.currentTopology();
      for (Member voter : unansweredVoters(acceptors)) {
        if (!voter.equals(messaging.self())) {
          sendTopology(voter, current);
        }
      }
      sendAccept(next);
    }
  }

  /** Sends a decided topology to a member. */
  public void sendTopology(Member member, Topology topology) {
    Output out = messaging.newMessage(member, MessageKind.TOPOLOGY);
    writeTopology(out, topology);
    send(member, out);
  }

  /**
   * Writes a topology. It goes to all members and may name many members and segments, so it is
   * encoded once.
   */
  @SuppressWarnings("ReferenceEquality") // Comparing two would take as long as encoding one.
  private void writeTopology(Output out, Topology topology) {
    if (topology != encodedFor || out.version() != encodedVersion) {
      Output encoded = new Output(1_024, out.version());
      topology.write(encoded);
      encodedTopology = encoded.toByteArray();
      encodedFor = topology;
      encodedVersion = out.version();
    }
    out.write(encodedTopology);
  }

  private void send(Member to, Output message) {
    messaging.postAsync(to, message);
  }

  /** Handles a message about a round; a request to promise has a method of its own. */
  public void onMessage(MessageKind kind, Member from, Input in) {
    switch (kind) {
      case PROMISED -> onPromised(from, in);
      case ACCEPT -> onAccept(from, Ballot.read(in), Topology.read(in), in.readLong());
      case ACCEPTED -> onAccepted(from, in);
      case REJECTED -> onRejected(in);
      case DECIDED -> onDecided(in.readLong(), Ballot.read(in));
      default -> throw new IllegalArgumentException(kind + " is not about a round");
    }
  }

  /** Handles the promise of a voter to obey, which says what the voter has accepted. */
  private void onPromised(Member from, Input in) {
    long base = in.readLong();
    Ballot answeredBallot = Ballot.read(in);
    Ballot acceptedInBallot = Ballot.read(in);
    Topology topology = in.readBoolean() ? Topology.read(in) : null;
    Topology current = listener.currentTopology();
    if (!isLeading()
        || !answeredBallot.equals(ballot)
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

  /** Handles the answer of a voter that has accepted. */
  private void onAccepted(Member from, Input in) {
    long number = in.readLong();
    Ballot answeredBallot = Ballot.read(in);
    Topology next = proposal;
    if (next == null || !answeredBallot.equals(ballot) || number != next.number()) {
      return;
    }
    acceptors.put(from.nodeId(), from);
    if (isMajority(acceptors)) {
      List<Member> informed = new ArrayList<>(acceptors.values());
      for (Member voter : informed) {
        if (!voter.equals(messaging.self())) {
          Output out = messaging.newMessage(voter, MessageKind.DECIDED);
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

  /** Handles the answer of a voter that obeys another proposer. */
  private void onRejected(Input in) {
    Ballot higher = Ballot.read(in);
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
  public void onPrepare(Member from, Ballot requestedBallot, long base) {
    if (!takesPart(from, base) || rejectIfLower(from, requestedBallot)) {
      return;
    }
    recordPromise(requestedBallot);
    heldTopology = null;
    Output out = messaging.newMessage(from, MessageKind.PROMISED);
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

  /**
   * Whether this node takes part in the round after a topology. If the sender is behind, sends it
   * the current topology.
   */
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
    Output out = messaging.newMessage(from, MessageKind.REJECTED);
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
   * Handles a request to accept a topology.
   *
   * @param waitNanos how long the proposer itself waits for the leases of excluded members
   */
  private void onAccept(Member from, Ballot requestedBallot, Topology next, long waitNanos) {
    Topology current = listener.currentTopology();
    if (!next.gridId().equals(current.gridId())
        || !takesPart(from, next.number() - 1)
        || rejectIfLower(from, requestedBallot)) {
      return;
    }
    recordPromise(requestedBallot);
    List<Member> excluded = excludedMembers(current, next);
    // They stay barred until the round is over, even if another proposal follows this one.
    // Otherwise the wait for their leases would begin anew each time.
    barredMembers.addAll(excluded);
    if (excluded.contains(messaging.self())) {
      lease.renounce();
    }
    boolean isRepeated = acceptedTopology != null && acceptedBallot.equals(requestedBallot);
    long jointWaitNanos = isRepeated ? 0 : Math.min(waitNanos, LeaseTable.EXCLUSION_WAIT_NANOS);
    long wait = Math.max(leaseTable.exclusionWaitNanos(excluded), jointWaitNanos);
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
    Output out = messaging.newMessage(from, MessageKind.ACCEPTED);
    out.writeLong(next.number());
    requestedBallot.write(out);
    save(() -> send(from, out));
  }

  private void acceptLater(Member from, Ballot requestedBallot, Topology next) {
    lock.lock();
    try {
      Topology held = heldTopology;
      if (held != null
          && held.number() == next.number()
          && requestedBallot.equals(promisedBallot)
          && listener.currentTopology().number() == next.number() - 1) {
        onAccept(from, requestedBallot, next, 0);
      }
    } finally {
      lock.unlock();
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
      listener.onDecided(topology);
    }
  }
}
