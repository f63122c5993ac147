package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
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
 * ({@link Ledger}); its next life is the same voter, and stands by it.
 *
 * <p>Source: L. Lamport, "Paxos made simple" (2001), 2 and 3; D. Rystsov, "CASPaxos" (2018), for a
 * register instead of a log.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper, which is held whenever it is called.
 */
final class Register {
  /** What a register brings about. */
  interface Owner {
    /** The topology known to be decided last. */
    Topology current();

    /** This node knows now of a topology that is decided. */
    void decided(Topology topology);

    /** This node may propose. */
    void ready();

    /** The topology adopted last will be known to the next life of this node. */
    default void kept() {}
  }

  /** How long one who was promised obedience has before another without a lease takes the lead. */
  private static final long SETTLE_NANOS = 2 * Grants.WAIT_NANOS;

  private final Requests requests;
  private final World world;
  private final ReentrantLock lock;
  private final Grants grants;
  private final Lease lease;
  private final Lives lives;
  private final Ledger ledger;
  private final Owner owner;

  // The voter.
  private Ballot promised = Ballot.NONE;
  private Ballot acceptedIn = Ballot.NONE;
  private volatile @Nullable Topology accepted;
  private volatile @Nullable Topology held;
  private final Set<Member> barred = new TreeSet<>();
  private long promisedAt;
  private Ledger.@Nullable Page earlier;

  // The proposer.
  private Ballot ballot = Ballot.NONE;
  private final Map<UUID, Member> promisers = new TreeMap<>();
  private Ballot foundIn = Ballot.NONE;
  private @Nullable Topology found;
  private @Nullable Topology proposal;
  private final Map<UUID, Member> acceptors = new TreeMap<>();
  private @Nullable Topology written;
  private byte[] encodedTopology = new byte[0];

  Register(
      Requests requests,
      World world,
      ReentrantLock lock,
      Grants grants,
      Lease lease,
      Lives lives,
      Ledger ledger,
      Owner owner) {
    this.requests = requests;
    this.world = world;
    this.lock = lock;
    this.grants = grants;
    this.lease = lease;
    this.lives = lives;
    this.ledger = ledger;
    this.owner = owner;
  }

  /** Goes on from what an earlier life of this node has promised and accepted. */
  void restore(Ledger.Page page) {
    promise(page.promised());
    earlier = page;
  }

  /** What it has accepted goes with the topology it acted by, which is adopted first of all. */
  private void takeUp(Ledger.Page page) {
    Topology its = page.accepted();
    if (its != null && page.current().equals(owner.current())) {
      acceptedIn = page.acceptedIn();
      accepted = its;
      barred.addAll(excluded(page.current(), its));
    }
  }

  private void keep(Runnable then) {
    ledger.keep(new Ledger.Page(promised, acceptedIn, accepted, owner.current()), then);
  }

  /** Keeps the first topology of a grid before this node is in it. */
  void enter(Topology first, Runnable then) {
    ledger.keep(new Ledger.Page(promised, Ballot.NONE, null, first), then);
  }

  /** Whose ballot was promised last. */
  UUID obeyed() {
    return promised.proposer();
  }

  /** Whether this node leads: as far as it knows nobody has a higher ballot. */
  boolean leading() {
    return !ballot.equals(Ballot.NONE);
  }

  /** Whether something may be proposed now. */
  boolean ready() {
    return leading() && proposal == null && majority(promisers);
  }

  private boolean majority(Map<UUID, Member> some) {
    return owner.current().membership().majority(voter -> some.containsKey(voter.node()));
  }

  /** Those to be asked so that the voters answer that have not. */
  private List<Member> lacking(Map<UUID, Member> answered) {
    return owner.current().membership().voters().stream()
        .filter(voter -> !answered.containsKey(voter.node()))
        .flatMap(voter -> lives.of(voter).stream())
        .toList();
  }

  /** Whether this voter has taken up a topology without this member: no lease is granted to it. */
  boolean bars(Member member) {
    return barred.contains(member);
  }

  /** Whether this voter has taken up something nobody has decided yet; any thread may ask. */
  boolean pending() {
    return accepted != null || held != null;
  }

  /** Whether a write may have been acknowledged in the next topology, if that one is decided. */
  boolean mayBeUsed() {
    Topology its = accepted;
    Topology waiting = held;
    return (its != null && its.charter().used()) || (waiting != null && waiting.charter().used());
  }

  /**
   * Whether this voter has accepted other voters: it grants nothing in the name of the old ones.
   * What it only holds back does not count: everybody's lease would run out meanwhile.
   */
  boolean replacesVoters() {
    long since = owner.current().membership().votersSince();
    Topology next = accepted;
    return next != null && next.membership().votersSince() != since;
  }

  /**
   * Whether this voter has taken up something nobody has decided: that may keep everybody from a
   * lease, so that it must be settled even by one who has none.
   */
  boolean blocked() {
    return (accepted != null || held != null || !barred.isEmpty())
        && world.clock().nanoTime() - promisedAt > SETTLE_NANOS;
  }

  /**
   * This node is in no grid any more. What it promised it goes on keeping: it may be admitted
   * again.
   */
  void reset() {
    resign();
    adopted();
  }

  /** A later topology is known: this round is over. */
  void adopted() {
    barred.clear();
    accepted = null;
    acceptedIn = Ballot.NONE;
    held = null;
    proposal = null;
    found = null;
    foundIn = Ballot.NONE;
    acceptors.clear();
    Ledger.Page page = earlier;
    earlier = null;
    if (page != null) {
      takeUp(page);
    }
    keep(owner::kept);
    if (leading() && !ready()) {
      prepare();
    }
  }

  // ------------------------------------------------------------------ proposing

  /** Takes the lead with a ballot above all that were seen. */
  void lead() {
    long highest = Math.max(promised.counter(), ballot.counter());
    resign();
    ballot = new Ballot(highest + 1, requests.self().id());
    prepare();
  }

  void resign() {
    ballot = Ballot.NONE;
    promisers.clear();
    proposal = null;
    found = null;
    foundIn = Ballot.NONE;
    acceptors.clear();
  }

  private void prepare() {
    Topology current = owner.current();
    for (Member voter : lacking(promisers)) {
      Output out = requests.message(Kind.PREPARE);
      ballot.write(out);
      write(out, current);
      send(voter, out);
    }
  }

  /** Proposes the next topology; only when {@link #ready}. */
  void propose(Topology next) {
    proposal = next;
    acceptors.clear();
    askToAccept(next);
  }

  private void askToAccept(Topology next) {
    // All accept at about the same time: in between, who has accepted other voters grants nothing,
    // and everybody's lease might run out while one waits for that of the excluded.
    long wait = grants.waitNanos(excluded(owner.current(), next));
    for (Member voter : lacking(acceptors)) {
      Output out = requests.message(Kind.ACCEPT);
      ballot.write(out);
      write(out, next);
      out.writeLong(wait);
      send(voter, out);
    }
  }

  /** Asks again whoever has not answered; called now and then. */
  void remind() {
    if (!leading()) {
      return;
    }
    Topology next = proposal;
    if (!majority(promisers)) {
      prepare();
    } else if (next != null) {
      // Who did not answer may lack the topology this one follows.
      Topology current = owner.current();
      for (Member voter : lacking(acceptors)) {
        if (!voter.equals(requests.self())) {
          tell(voter, current);
        }
      }
      askToAccept(next);
    }
  }

  /** Tells somebody a decided topology. */
  void tell(Member member, Topology topology) {
    Output out = requests.message(Kind.TOPOLOGY);
    write(out, topology);
    send(member, out);
  }

  /** A topology goes to everybody, and may name many members and segments: it is encoded once. */
  @SuppressWarnings("ReferenceEquality") // Comparing two would take as long as encoding one.
  private void write(Output out, Topology topology) {
    if (topology != written) {
      Output encoded = new Output(1_024);
      topology.write(encoded);
      encodedTopology = encoded.toByteArray();
      written = topology;
    }
    out.write(encodedTopology);
  }

  private void send(Member to, Output message) {
    requests.postApart(to, message);
  }

  /** A voter obeys, and says what it has accepted. */
  void promised(Member from, Input in) {
    long base = in.readLong();
    Ballot obeyed = Ballot.read(in);
    Ballot in0 = Ballot.read(in);
    Topology its = in.readBoolean() ? Topology.read(in) : null;
    Topology current = owner.current();
    if (!leading()
        || !obeyed.equals(ballot)
        || base != current.number()
        || proposal != null
        || !current.membership().votes(from)) {
      return;
    }
    if (its != null && in0.compareTo(foundIn) > 0) {
      found = its;
      foundIn = in0;
    }
    if (promisers.put(from.node(), from) == null && majority(promisers)) {
      Topology first = found;
      if (first != null) {
        propose(first);
      } else {
        owner.ready();
      }
    }
  }

  /** A voter has accepted. */
  void accepted(Member from, Input in) {
    long number = in.readLong();
    Ballot obeyed = Ballot.read(in);
    Topology next = proposal;
    if (next == null || !obeyed.equals(ballot) || number != next.number()) {
      return;
    }
    acceptors.put(from.node(), from);
    if (majority(acceptors)) {
      List<Member> told = new ArrayList<>(acceptors.values());
      for (Member voter : told) {
        if (!voter.equals(requests.self())) {
          Output out = requests.message(Kind.DECIDED);
          out.writeLong(number);
          ballot.write(out);
          send(voter, out);
        }
      }
      List<Member> others = new ArrayList<>(next.members());
      owner.current().members().stream().filter(m -> !others.contains(m)).forEach(others::add);
      others.removeAll(told);
      others.remove(requests.self());
      others.forEach(member -> tell(member, next));
      owner.decided(next);
    }
  }

  /** A voter obeys somebody else. */
  void rejected(Input in) {
    Ballot higher = Ballot.read(in);
    if (leading() && higher.compareTo(ballot) > 0) {
      resign();
      // So that a later ballot of this node is above.
      if (higher.compareTo(promised) > 0) {
        promised = higher;
      }
    }
  }

  // ------------------------------------------------------------------ voting

  /** Somebody asks to be obeyed; the topology it goes on from is known here by now. */
  void prepareAsked(Member from, Ballot asked, long base) {
    if (!votes(from, base) || rejects(from, asked)) {
      return;
    }
    promise(asked);
    held = null;
    Output out = requests.message(Kind.PROMISED);
    out.writeLong(base);
    asked.write(out);
    acceptedIn.write(out);
    Topology its = accepted;
    out.writeBoolean(its != null);
    if (its != null) {
      its.write(out);
    }
    keep(() -> send(from, out));
  }

  /** Whether this node takes part in the round behind a topology; tells who is behind what is. */
  private boolean votes(Member from, long base) {
    Topology current = owner.current();
    if (current.number() > base) {
      tell(from, current);
    }
    return current.number() == base && current.membership().votes(requests.self());
  }

  private boolean rejects(Member from, Ballot asked) {
    if (asked.compareTo(promised) >= 0) {
      return false;
    }
    Output out = requests.message(Kind.REJECTED);
    promised.write(out);
    send(from, out);
    return true;
  }

  private void promise(Ballot ballot0) {
    if (ballot0.compareTo(promised) > 0) {
      promisedAt = world.clock().nanoTime();
    }
    promised = ballot0;
  }

  /**
   * Somebody asks for a topology to be accepted.
   *
   * @param waitNanos for how long the proposer itself waits for leases of those to be excluded
   */
  void acceptAsked(Member from, Ballot asked, Topology next, long waitNanos) {
    Topology current = owner.current();
    if (!next.gridId().equals(current.gridId())
        || !votes(from, next.number() - 1)
        || rejects(from, asked)) {
      return;
    }
    promise(asked);
    List<Member> excluded = excluded(current, next);
    // Until the round is over, though this proposal may be followed by another: else the wait for
    // the leases would begin anew each time.
    barred.addAll(excluded);
    if (excluded.contains(requests.self())) {
      lease.renounce();
    }
    boolean again = accepted != null && acceptedIn.equals(asked);
    long together = again ? 0 : Math.min(waitNanos, Grants.WAIT_NANOS);
    long wait = Math.max(grants.waitNanos(excluded), together);
    if (wait > 0) {
      // From now on no lease is granted that would have to be waited for.
      held = next;
      world.clock().schedule(wait, () -> acceptLater(from, asked, next));
      return;
    }
    held = null;
    accepted = next;
    acceptedIn = asked;
    if (replacesVoters()) {
      lease.endsSometime();
    }
    Output out = requests.message(Kind.ACCEPTED);
    out.writeLong(next.number());
    asked.write(out);
    keep(() -> send(from, out));
  }

  private void acceptLater(Member from, Ballot asked, Topology next) {
    lock.lock();
    try {
      Topology waiting = held;
      if (waiting != null
          && waiting.number() == next.number()
          && asked.equals(promised)
          && owner.current().number() == next.number() - 1) {
        acceptAsked(from, asked, next, 0);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Who is to go. */
  private static List<Member> excluded(Topology from, Topology to) {
    List<Member> excluded = new ArrayList<>(from.members());
    excluded.removeAll(to.members());
    return excluded;
  }

  /** What this voter accepted in that ballot is decided. */
  void decidedAsked(long number, Ballot in0) {
    Topology its = accepted;
    if (its != null && its.number() == number && acceptedIn.equals(in0)) {
      owner.decided(its);
    }
  }
}
