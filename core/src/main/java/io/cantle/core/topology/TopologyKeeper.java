package io.cantle.core.topology;

import io.cantle.WhenCut;
import io.cantle.core.base.Input;
import io.cantle.core.base.Notes;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Keeps this node's topology: tells the voters what happens here, meets others, and, while this
 * node leads the voters, proposes the next topology.
 *
 * <p>What the transport says about who is there is a hint. It brings up candidates and hastens the
 * exclusion of who is silent; it decides nothing.
 *
 * <p><b>Parts.</b> {@link Register} has a topology agreed upon, {@link Leader} and {@link
 * Evolution} find out what the next one is. {@link Lease}, {@link Grants} and {@link Renewals} say
 * who may answer, {@link Departure} when this node may go. {@link Meetings} is how nodes find into
 * one grid, {@link Forks} how members go on that are cut off, {@link Past} which grids this node
 * has left. {@link Encounters} says what comes of meeting another node, {@link Succession} how all
 * of these go from one topology to the next. Here is what brings them together: messages, views and
 * the ticks. A part is handed the topology, and answers what is to be done.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits, and the adopter is called
 * with the lock held, so that topologies are adopted one after the other.
 */
public final class TopologyKeeper {
  /** How often leases are renewed and unanswered questions asked again. */
  private static final long TICK_NANOS = Lease.NANOS / 4;

  private static final long STEP_DELAY = TimeUnit.MILLISECONDS.toNanos(3);

  private final Requests requests;
  private final World world;
  private final ReentrantLock lock = new ReentrantLock();
  private final Succession succession;
  private final Notes notes;
  private final Lease lease;
  private final Unanswered unanswered;
  private final Grants grants;
  private final Register register;
  private final Leader leader;
  private final Encounters encounters;
  private final Departure departure;
  private final Renewals renewals;
  private final Lives lives;
  private final VoterRecovery recovery;
  private final AtomicLong toldUsed = new AtomicLong();
  private List<Member> view = List.of();
  private boolean closed;
  private volatile boolean abandoned;
  private boolean fenced;
  private boolean ticking;
  private boolean stepDue;

  /**
   * How a node finds into a grid.
   *
   * @param initialMembers how many have to be in sight for it to found one
   * @param whenCut what members of a grid it founds do that are cut off
   * @param seat how much it is to hold, and where it stands
   * @param timeout how long it waits to be let in
   */
  public record Founding(int initialMembers, WhenCut whenCut, Seat seat, Duration timeout) {}

  /** The keeper of a node without a store. */
  public TopologyKeeper(
      Requests requests,
      World world,
      Founding founding,
      Consumer<Topology> adopter,
      Foreign foreign) {
    this(requests, world, founding, adopter, foreign, Notes.NONE);
  }

  /**
   * A keeper without a topology yet, or with that of an earlier life.
   *
   * @param founding how this node joins a grid, or founds it if there is none
   * @param adopter is given each topology in turn, {@link Topology#NONE} when this node's grid is
   *     given up for another; must not wait
   * @param foreign is told of grids this node cannot be part of; must not wait
   * @param notes what this node knows from its earlier lives
   * @throws IllegalStateException if that cannot be read
   */
  public TopologyKeeper(
      Requests requests,
      World world,
      Founding founding,
      Consumer<Topology> adopter,
      Foreign foreign,
      Notes notes) {
    this.requests = requests;
    this.world = world;
    this.notes = notes;
    succession =
        new Succession(
            requests, world, lock, founding, foreign, adopter, notes, new Consequences());
    lease = succession.lease;
    unanswered = succession.unanswered;
    grants = succession.grants;
    register = succession.register;
    leader = succession.leader;
    encounters = new Encounters(requests, world.clock(), succession, founding.timeout());
    departure = succession.departure;
    renewals = succession.renewals;
    lives = succession.lives;
    recovery = new VoterRecovery(requests, world);
  }

  /** The topology adopted last, {@link Topology#NONE} at first. */
  public Topology current() {
    return succession.current();
  }

  /** This node's right to answer. */
  public Lease lease() {
    return lease;
  }

  /** Whether this node leads the voters; for those who look at it from outside. */
  public boolean leads() {
    lock.lock();
    try {
      return register.ready();
    } finally {
      lock.unlock();
    }
  }

  /** Whether this voter knows of a topology that is proposed and not decided. */
  public boolean pending() {
    return register.pending();
  }

  /** Whether nothing depends on this leaving node any more. */
  public boolean left() {
    return departure.done();
  }

  /**
   * Whether this node has found no majority for so long that waiting makes no sense. Never where
   * those that are cut off go on.
   */
  public boolean cutOff() {
    return abandoned || (succession.lapsed() && !current().charter().available());
  }

  /** This node can answer nothing any more: it is cut off for good, without a farewell. */
  public void abandon() {
    abandoned = true;
    lease.giveUp();
  }

  /** Why this node is not let in, or whom it waits for; empty if all is well. */
  public String trouble() {
    return succession.trouble();
  }

  /**
   * While this holds, as when this node has what is still to be merged, it stays although it
   * leaves. Said once, before there is a topology.
   */
  public void staysWhile(BooleanSupplier condition) {
    succession.staysWhile(condition);
  }

  /** This node takes part in a write although its topology does not know of any yet. */
  public void touched() {
    succession.touched();
  }

  /** Runs a task, which must not wait, once a topology of at least this number is adopted. */
  public void whenAdopted(long number, Runnable task) {
    succession.whenAdopted(number, task);
  }

  /**
   * Goes on without nodes that are gone for good, as soon as no lease is left: then the grid has
   * the id that is returned. An operator's word, never this node's own.
   *
   * @param names of the members that are given up
   * @throws IllegalArgumentException if names are wrong, or too few
   * @throws IllegalStateException if there is nothing to recover
   */
  public UUID recoverVoters(Collection<String> names) {
    lock.lock();
    try {
      return recovery.begin(current(), view, succession.lapsed(), names);
    } finally {
      lock.unlock();
    }
  }

  /** Whether what {@link #recoverVoters} was asked for is yet to be done. */
  public boolean recovers() {
    lock.lock();
    try {
      return recovery.isPending() || succession.entering();
    } finally {
      lock.unlock();
    }
  }

  private void recover() {
    if (lease.lasts()) {
      recovery.cancel();
    } else if (recovery.isPending()) {
      // Who knows a later topology tells it.
      renewals.ask(current(), current().members());
      Topology first = recovery.due(current());
      if (first != null) {
        succession.recover(first);
      }
    }
  }

  /** Stops renewing, proposing and reminding. */
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------ reports

  /** Tells that this node, a joiner, holds all of a segment. */
  public void reportReceived(int cache, int segment, int epoch) {
    report(new Report.Received(new SegmentEpoch(cache, segment, epoch)));
  }

  /** Tells that this node, the primary, has opened an epoch of a segment that is unconfirmed. */
  public void reportOpened(int cache, int segment, int epoch) {
    report(new Report.Opened(new SegmentEpoch(cache, segment, epoch)));
  }

  /** Tells that this node has dropped the copy of a segment it owned last. */
  public void reportDropped(int cache, int segment, int epoch) {
    report(new Report.Dropped(new SegmentEpoch(cache, segment, epoch)));
  }

  /**
   * Tells that this node wants to leave. Not while it has what is to be merged: it would be let go,
   * and ask to be admitted again, until one day it is a member for long enough.
   */
  public void reportLeaving() {
    departure.want();
    if (!succession.staysApart()) {
      report(new Report.Leaving());
    }
    lock.lock();
    try {
      lookWhetherLeft();
    } finally {
      lock.unlock();
    }
  }

  /** Tells that this node wants a cache. */
  public void reportWanted(CacheDefinition definition) {
    report(new Report.Wanted(definition));
  }

  /** Tells that somebody wants to write. */
  public void reportUsed() {
    long number = current().number();
    // Each of many writes would tell the same.
    if (toldUsed.getAndSet(number) != number) {
      report(new Report.Used());
    }
  }

  /** Tells that the moving of segments is to be suspended or to go on. */
  public void reportSuspended(boolean suspended) {
    report(new Report.Suspended(suspended, current().number()));
  }

  /** Tells that what a segment held that was lost in this epoch of it is given up. */
  public void reportLossAccepted(int cache, int segment, int epoch) {
    report(new Report.LossAccepted(new SegmentEpoch(cache, segment, epoch)));
  }

  /** This node has asked a member again, which everybody waits for who writes what both own. */
  public void asksAgain(Member member) {
    if (unanswered.asks(member)) {
      report(new Report.Unanswered(member.id()));
    }
  }

  /** A member has done what it was asked for. */
  public void answered(Member member) {
    unanswered.answered(member);
  }

  private void report(Report report) {
    for (Member voter : current().membership().voters()) {
      for (Member life : lives.of(voter)) {
        Output out = requests.message(Kind.REPORT);
        report.write(out);
        requests.post(life, out);
      }
    }
  }

  // ------------------------------------------------------------------ messages

  /** The transport's view of who is there has changed. */
  public void members(List<Member> present) {
    lock.lock();
    try {
      succession.restore();
      List<Member> before = view;
      view = List.copyOf(present);
      lives.view(view);
      succession.ages.view(view);
      encounters.view(view);
      lookWhetherLeft();
      for (Member member : before) {
        if (!view.contains(member) && current().members().contains(member)) {
          // It is excluded as soon as nobody can believe it any more.
          long wait = Grants.WAIT_NANOS - grants.silence(member);
          world.clock().schedule(Math.max(0, wait) + STEP_DELAY, this::tickNow);
        }
      }
      encounters.meet(view);
      tickSoon();
    } finally {
      lock.unlock();
    }
  }

  /** A message about topologies has come. */
  public void came(Kind kind, Member from, Input in) {
    lock.lock();
    try {
      if (closed || (isSilenced() && !isHeardWhenSilenced(kind))) {
        return;
      }
      succession.restore();
      encounters.heard(from);
      if (kind.votes() && !succession.trusts(from)) {
        return;
      }
      if (kind != Kind.HISTORY && succession.trusts(from)) {
        succession.heard(from);
      }
      switch (kind) {
        case HELLO -> encounters.helloCame(from, in);
        case JOIN -> {
          if (encounters.joinCame(from, in, view)) {
            stepSoon();
          }
        }
        case TOPOLOGY -> {
          Topology told = Topology.read(in);
          succession.learn(told);
          if (!current().members().contains(from)) {
            if (told.gridId().equals(current().gridId()) && told.number() < current().number()) {
              // Those it waits for may have left themselves meanwhile.
              register.tell(from, current());
            }
            // Who leaves waits for word that this is known. Before it is, word would be that it is
            // not, and be answered by the same topology, without end.
            if (succession.known()) {
              renewals.ask(current(), List.of(from));
            }
          }
        }
        case PREPARE -> {
          Ballot ballot = Ballot.read(in);
          Topology base = Topology.read(in);
          succession.learn(base);
          if (base.gridId().equals(current().gridId()) && succession.trusts(from)) {
            register.prepareAsked(from, ballot, base.number());
          }
        }
        case PROMISED -> register.promised(from, in);
        case ACCEPT ->
            register.acceptAsked(from, Ballot.read(in), Topology.read(in), in.readLong());
        case ACCEPTED -> register.accepted(from, in);
        case REJECTED -> {
          register.rejected(in);
          tickSoon();
        }
        case DECIDED -> register.decidedAsked(in.readLong(), Ballot.read(in));
        case RENEW -> renewalCame(from, Renewal.read(in));
        case RENEWED -> renewals.granted(from, in);
        case REPORT -> reported(from, in);
        case CUT -> succession.cutCame(from, in);
        case HISTORY -> encounters.historyCame(from, in);
        case REFUSED -> refused(Refusal.read(in));
        default -> throw new IllegalArgumentException(kind + " is not about topologies");
      }
    } finally {
      lock.unlock();
    }
  }

  /** From now on this node neither votes nor answers, if it is one that must not. */
  private void refused(Refusal refusal) {
    if (refusal.fences() && !fenced) {
      fenced = true;
      lease.giveUp();
      register.resign();
    }
    succession.refusals.came(refusal);
  }

  /** Whether this node must not vote: for good, or while another one is there that is the same. */
  private boolean isSilenced() {
    return fenced || succession.refusals.saysSameNode();
  }

  private static boolean isHeardWhenSilenced(Kind kind) {
    return switch (kind) {
      case HELLO, REFUSED, TOPOLOGY, HISTORY -> true;
      default -> false;
    };
  }

  private void reported(Member from, Input in) {
    Report report = Report.read(in);
    if (register.leading() && leader.reported(current(), from, report)) {
      stepSoon();
    }
  }

  private void renewalCame(Member from, Renewal renewal) {
    boolean isNews = renewals.shows(current(), from, renewal);
    if (isNews && (departure.wanted() || register.leading())) {
      lookWhetherLeft();
      stepSoon();
    }
    renewals.answer(current(), from, renewal);
  }

  // ------------------------------------------------------------------ ticking

  private void tickSoon() {
    // Alone it need not look again and again, unless somebody it obeyed is gone and it is to lead.
    if (!ticking && !closed && (hasOthers() || (current().founded() && !register.ready()))) {
      ticking = true;
      world.clock().schedule(TICK_NANOS, this::tick);
    }
  }

  private boolean hasOthers() {
    return view.size() > 1
        || current().members().size() > 1
        || (current().founded() && !current().members().contains(requests.self()));
  }

  private void tick() {
    lock.lock();
    try {
      ticking = false;
      if (!closed) {
        // First of all: whatever fails below, this node goes on renewing its lease.
        tickSoon();
        succession.ages.look(notes.changes() + succession.ledger.pages());
        encounters.showHistory(view);
        renew();
        check();
        requests.sweep();
      }
    } finally {
      lock.unlock();
    }
  }

  private void tickNow() {
    lock.lock();
    try {
      if (!closed) {
        grants.heard(requests.self());
        check();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Asks every voter for this node's lease. */
  private void renew() {
    if (isSilenced()) {
      return;
    }
    renewals.ask(current(), current().membership().voters());
  }

  /** Looks who is silent, who leads, and who was asked and has not answered. */
  private void check() {
    toldUsed.set(0);
    encounters.meet(view);
    lookWhetherLeft();
    departure.sayFarewell(current());
    succession.lookWhetherCutOff();
    recover();
    if (isSilenced() || !current().membership().votes(requests.self())) {
      return;
    }
    if (register.leading()) {
      register.remind();
      tellThoseToFollow();
      step();
    } else if (succession.returning()
        ? encounters.wasLookedAt() && renewals.isToLeadAnew(current())
        : (lease.lasts() || register.blocked()) && renewals.isToLead(current())) {
      register.lead();
      leader.begin(current());
      renew();
    }
  }

  /** Members of a grid that was recovered may not have heard of it, and renew no lease in it. */
  private void tellThoseToFollow() {
    if (current().charter().isRecovered()) {
      current().members().stream()
          .filter(member -> leader.adoptedBy(member) < current().membership().admission(member))
          .forEach(member -> register.tell(member, current()));
    }
  }

  // ------------------------------------------------------------------ what comes next

  private void lookWhetherLeft() {
    if (!succession.staysApart() && departure.look(current(), view, succession.alone(view))) {
      requests.wakeAll();
    }
  }

  private void stepSoon() {
    if (!stepDue) {
      stepDue = true;
      world
          .clock()
          .schedule(
              STEP_DELAY,
              () -> {
                lock.lock();
                try {
                  stepDue = false;
                  if (!closed) {
                    step();
                  }
                } finally {
                  lock.unlock();
                }
              });
    }
  }

  /** Proposes the next topology, if this node leads and there is something to change. */
  private void step() {
    if (register.ready()) {
      Topology next = leader.next(current(), view, world.clock().nanoTime());
      if (next.number() != current().number()) {
        register.propose(next);
      } else if (leader.leftUndecided(current())) {
        register.propose(current().unchanged());
      }
    }
  }

  /** What follows when this node has another topology. */
  private final class Consequences implements Succession.Owner {
    @Override
    public void lookWhetherLeft() {
      TopologyKeeper.this.lookWhetherLeft();
    }

    @Override
    public void adopted(List<Member> formerVoters) {
      if (register.leading()) {
        stepSoon();
      }
      if (succession.known()) {
        renew();
        // Who has left waits for word that those who decide next know it.
        renewals.ask(current(), formerVoters);
      }
      encounters.meet(view);
      tickSoon();
    }

    @Override
    public void kept() {
      renew();
    }

    @Override
    public void leads() {
      encounters.meet(view);
    }
  }
}
