package io.cantle.core.topology;

import io.cantle.GridConfig;
import io.cantle.WhenCut;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Keeps this node's topology: adopts what is decided, tells the voters what happens here, and,
 * while this node leads the voters, proposes the next topology.
 *
 * <p>What the transport says about who is there is a hint. It brings up candidates and hastens the
 * exclusion of who is silent; it decides nothing.
 *
 * <p><b>Parts.</b> {@link Register} has a topology agreed upon, {@link Leader} and {@link
 * Evolution} find out what the next one is. {@link Lease}, {@link Grants} and {@link Renewals} say
 * who may answer, {@link Departure} when this node may go. {@link Meetings} is how nodes find into
 * one grid, {@link Forks} how members go on that are cut off, {@link Past} which grids this node
 * has left. Here is what they share: the topology, the lock, the ticks, and how to go from one
 * topology to the next, one grid to another, or none. A part is handed the topology, and answers
 * what is to be done.
 *
 * <p><b>Adopting</b> is done in one go, with the lock held. Most of the order is of no matter to
 * those who need the lock, and of great to what is read without it, or calls back:
 *
 * <ol>
 *   <li>What depends on the topology before is taken from it while it is there: who is let go
 *       ({@link Departure#letGo}), which voters are gone.
 *   <li>The topology and its grid are shown. All that is told from here on is told of this grid,
 *       and messages of it are taken.
 *   <li>The {@link Lease} follows before the replicas do: who is a member no more has no right to
 *       answer when they drop what they hold, and one that is admitted again begins without.
 *   <li>{@link Grants} count the members that are new as heard, and begin the wait for leases of
 *       former voters, before anybody can ask this node to accept an exclusion. The {@link Leader}
 *       forgets what the topology shows before the next one is made.
 *   <li>The adopter has every replica enter its new epoch. It finds all of the above in place: what
 *       it sends carries the grid, and what it reports is about this topology.
 *   <li>Only then {@link #whenAdopted} holds, which is asked without the lock: until then replicas
 *       may be in earlier epochs. Those that waited for it ({@link Deferrals}) are run after that,
 *       so that what one of them asks for anew is not put off until a topology that may never come.
 *   <li>A leaving node that nothing needs any more gives its lease up before it tells the voters
 *       how far it is: they need not wait for that lease.
 *   <li>The {@link Register} ends its round last of the parts. It may ask for promises anew, and
 *       where this node is the only voter have the next topology decided, which is adopted before
 *       it returns: the adopter has to have been given this one.
 *   <li>The voters, former ones too, are told that it is adopted. They take it for a promise: a
 *       newcomer votes and a leaving node goes by it, so the replicas must have entered.
 *   <li>Whoever came early for this grid, or waits for a change, looks again and finds it whole.
 * </ol>
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits, and the adopter is called
 * with the lock held, so that topologies are adopted one after the other.
 */
public final class TopologyKeeper {
  /** How often leases are renewed and unanswered questions asked again. */
  private static final long TICK_NANOS = Lease.NANOS / 4;

  private static final long STEP_DELAY = TimeUnit.MILLISECONDS.toNanos(3);

  /** Without a lease for so long a node says that it is cut off instead of waiting. */
  private static final long CUT_OFF_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Without a lease, and without the voters in sight, for so long a grid has ended. */
  private static final long FORSAKEN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger(TopologyKeeper.class.getName());

  private final Requests requests;
  private final World world;
  private final Consumer<Topology> adopter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Lease lease;
  private final Unanswered unanswered;
  private final Grants grants;
  private final Register register;
  private final Leader leader;
  private final Meetings meetings;
  private final Departure departure;
  private final Renewals renewals;
  private final Forks forks;

  private volatile Topology current = Topology.NONE;
  private volatile long entered;
  private volatile BooleanSupplier apart = () -> false;
  private boolean cutOff;
  private volatile UUID touched = Topology.NONE.gridId();
  private final AtomicLong toldUsed = new AtomicLong();
  private final Past past = new Past();
  private List<Member> view = List.of();
  private boolean closed;
  private boolean ticking;
  private boolean stepDue;
  private final Deferrals deferrals = new Deferrals();

  /**
   * How a node finds into a grid.
   *
   * @param initialMembers how many have to be in sight for it to found one
   * @param whenCut what members of a grid it founds do that are cut off
   * @param seat how much it is to hold, and where it stands
   */
  public record Founding(int initialMembers, WhenCut whenCut, Seat seat) {}

  /** What is told of grids this node cannot be part of. */
  @FunctionalInterface
  public interface Foreign {
    /** There is another grid with which that of this node cannot become one. */
    void met();

    /** There is a grid that was founded with another {@link GridConfig#whenCut}. */
    default void refused(Mode its) {
      met();
    }
  }

  /**
   * A keeper without a topology yet.
   *
   * @param founding how this node joins a grid, or founds it if there is none
   * @param adopter is given each topology in turn, {@link Topology#NONE} when this node's grid is
   *     given up for another; must not wait
   * @param foreign is told of grids this node cannot be part of; must not wait
   */
  public TopologyKeeper(
      Requests requests,
      World world,
      Founding founding,
      Consumer<Topology> adopter,
      Foreign foreign) {
    this.requests = requests;
    this.world = world;
    this.adopter = adopter;
    this.lease = new Lease(world.clock());
    this.unanswered = new Unanswered(world.clock());
    this.grants = new Grants(world.clock());
    this.register = new Register(requests, world, lock, grants, lease, new Decisions());
    this.leader = new Leader(grants, new Impaired(world.clock()), requests);
    this.meetings = new Meetings(requests, world, founding, lease, foreign);
    this.departure = new Departure(requests, lease, register, leader);
    this.renewals = new Renewals(requests, world, lease, grants, register, leader);
    this.forks = new Forks(requests, world, register, meetings);
  }

  /** The topology adopted last, {@link Topology#NONE} at first. */
  public Topology current() {
    return current;
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
    return lapsed() && !current.charter().available();
  }

  private boolean lapsed() {
    return current.founded() && lease.lapsedNanos() >= CUT_OFF_NANOS;
  }

  /** This node takes part in a write although its topology does not know of any yet. */
  public void touched() {
    UUID its = current.gridId();
    if (!touched.equals(its)) {
      // Under the lock: either it is seen before this node gives its grid up, or that is over.
      lock.lock();
      try {
        touched = its;
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * While this holds, as when this node has what is still to be merged, it stays although it
   * leaves. Said once, before there is a topology.
   */
  public void staysWhile(BooleanSupplier condition) {
    apart = condition;
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

  /** Tells that this node wants to leave. */
  public void reportLeaving() {
    departure.want();
    report(new Report.Leaving());
    lock.lock();
    try {
      lookWhetherLeft();
    } finally {
      lock.unlock();
    }
  }

  /** Whether this node, should it be no member, is to become one: who leaves holds something. */
  private boolean wantsIn() {
    return !departure.wanted() || apart.getAsBoolean() || current.needs(requests.self());
  }

  /** Tells that this node wants a cache. */
  public void reportWanted(CacheDefinition definition) {
    report(new Report.Wanted(definition));
  }

  /** Tells that somebody wants to write. */
  public void reportUsed() {
    long number = current.number();
    // Each of many writes would tell the same.
    if (toldUsed.getAndSet(number) != number) {
      report(new Report.Used());
    }
  }

  /** Tells that the moving of segments is to be suspended or to go on. */
  public void reportSuspended(boolean suspended) {
    report(new Report.Suspended(suspended, current.number()));
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
    for (Member voter : current.membership().voters()) {
      Output out = requests.message(Kind.REPORT);
      report.write(out);
      requests.post(voter, out);
    }
  }

  // ------------------------------------------------------------------ messages

  /** The transport's view of who is there has changed. */
  public void members(List<Member> present) {
    lock.lock();
    try {
      List<Member> before = view;
      view = List.copyOf(present);
      lookWhetherLeft();
      for (Member member : before) {
        if (!view.contains(member) && current.members().contains(member)) {
          // It is excluded as soon as nobody can believe it any more.
          long wait = Grants.WAIT_NANOS - grants.silence(member);
          world.clock().schedule(Math.max(0, wait) + STEP_DELAY, this::tickNow);
        }
      }
      meet();
      tickSoon();
    } finally {
      lock.unlock();
    }
  }

  /** A message about topologies has come. */
  public void came(Kind kind, Member from, Input in) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      switch (kind) {
        case HELLO -> helloCame(from, in);
        case JOIN -> joinCame(from, in);
        case TOPOLOGY -> {
          Topology told = Topology.read(in);
          learn(told);
          if (!current.members().contains(from)) {
            if (told.gridId().equals(current.gridId()) && told.number() < current.number()) {
              // Those it waits for may have left themselves meanwhile.
              register.tell(from, current);
            }
            // Who leaves waits for word that this is known.
            renewals.ask(current, List.of(from));
          }
        }
        case PREPARE -> {
          Ballot ballot = Ballot.read(in);
          Topology base = Topology.read(in);
          learn(base);
          if (base.gridId().equals(current.gridId())) {
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
        case CUT -> forks.cutCame(current, from, in);
        default -> throw new IllegalArgumentException(kind + " is not about topologies");
      }
    } finally {
      lock.unlock();
    }
  }

  private void reported(Member from, Input in) {
    Report report = Report.read(in);
    if (register.leading() && leader.reported(current, from, report)) {
      stepSoon();
    }
  }

  private void renewalCame(Member from, Renewal renewal) {
    boolean isNews = renewals.shows(current, from, renewal);
    if (isNews && (departure.wanted() || register.leading())) {
      lookWhetherLeft();
      stepSoon();
    }
    renewals.answer(current, from, renewal);
  }

  // ------------------------------------------------------------------ meeting others

  private void helloCame(Member from, Input in) {
    Meetings.Hello hello = Meetings.Hello.read(in);
    boolean another = meetings.isAnother(current, hello);
    boolean related = current.charter().related(hello.gridId(), hello.descent());
    if (another && !related && empty()) {
      giveUp();
    }
    if (!wantsIn()) {
      // It holds nothing, and those who would have to know that it leaves are in another grid.
      if (another && related && hello.alive() && lapsed()) {
        giveUp();
      }
      return;
    }
    switch (meetings.helloCame(current, from, hello, lapsed())) {
      case NOTHING -> {}
      case LEAVE -> giveUp();
      case YIELD -> {
        if (register.ready()) {
          register.propose(
              new Topology(
                  current.number() + 1,
                  current.charter().asGivenUp(),
                  current.membership(),
                  current.caches()));
        }
      }
    }
  }

  private void joinCame(Member from, Input in) {
    UUID its = in.readId();
    Seat seat = Seat.read(in);
    Mode mode = Mode.of(in.readByte());
    boolean fresh = its.equals(Topology.NONE.gridId());
    if (!fresh && !its.equals(current.gridId())) {
      // It asks those that were the voters of its grid, and are in another by now.
      if (current.charter().available()) {
        meetings.greet(current, from);
      }
    } else if (!current.founded()) {
      if (fresh) {
        meetings.fresh(from, seat, mode);
        found();
      }
    } else if (mode != current.charter().mode()) {
      // Whether acknowledged writes may be lost is nothing a member may be wrong about.
      if (register.leading()) {
        meetings.greet(current, from);
      }
    } else if (fresh && empty() && (isVoter(from) || isForsaken())) {
      giveUp();
    } else if (current.members().contains(from)) {
      register.tell(from, current);
    } else if (register.leading()) {
      if (current.leaving().containsAll(current.members())) {
        // Should it want to leave too, nobody else will tell it that there is nothing to wait for.
        register.tell(from, current);
      }
      leader.joining(from, fresh, seat, world.clock().nanoTime());
      stepSoon();
    }
  }

  /**
   * Whether this node holds nothing and can do nothing: it is cut off in a grid in which nothing
   * was written that it took part in, nor has it accepted that it may be. If others show that they
   * are not in that grid, as happens when several nodes found one at the same moment, it may forget
   * it like a node that stops.
   */
  private boolean empty() {
    return lapsed()
        && !touched.equals(current.gridId())
        && !current.charter().used()
        && !register.mayBeUsed();
  }

  private boolean isVoter(Member member) {
    return current.membership().voters().contains(member);
  }

  /**
   * Whether too few of the voters are in sight to decide anything, and that for long. A view is a
   * hint: should the others be there all the same, they lose a vote by it.
   */
  private boolean isForsaken() {
    return !current.membership().majority(view::contains) && lease.lapsedNanos() >= FORSAKEN_NANOS;
  }

  private void found() {
    List<Member> founders = meetings.founders(current, view);
    if (!founders.isEmpty()) {
      Topology first = meetings.found(founders);
      adopt(first);
      begin(first);
    }
  }

  private void meet() {
    if (!current.founded()) {
      if (wantsIn() && !view.isEmpty()) {
        meetings.ask(view);
        found();
      }
    } else if (lapsed()) {
      meetings.lookFor(current);
    } else if (register.leading()) {
      meetings.greet(current, view);
    } else if (wantsIn() && !current.members().contains(requests.self())) {
      current.membership().voters().forEach(voter -> meetings.askIn(voter, current.gridId()));
    }
  }

  // ------------------------------------------------------------------ ticking

  private void tickSoon() {
    // Alone it need not look again and again, unless somebody it obeyed is gone and it is to lead.
    if (!ticking && !closed && (hasOthers() || (current.founded() && !register.ready()))) {
      ticking = true;
      world.clock().schedule(TICK_NANOS, this::tick);
    }
  }

  private boolean hasOthers() {
    return view.size() > 1
        || current.members().size() > 1
        || (current.founded() && !current.members().contains(requests.self()));
  }

  private void tick() {
    lock.lock();
    try {
      ticking = false;
      if (!closed) {
        // First of all: whatever fails below, this node goes on renewing its lease.
        tickSoon();
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
    renewals.ask(current, current.membership().voters());
  }

  /** Looks who is silent, who leads, and who was asked and has not answered. */
  private void check() {
    toldUsed.set(0);
    meet();
    lookWhetherLeft();
    departure.sayFarewell(current);
    boolean was = cutOff;
    cutOff = lapsed();
    if (cutOff && !was) {
      requests.wakeAll();
    }
    fork();
    if (!current.membership().voters().contains(requests.self())) {
      return;
    }
    if (register.leading()) {
      register.remind();
      step();
    } else if ((lease.held() || register.blocked()) && renewals.isToLead(current)) {
      register.lead();
      leader.begin(current);
      renew();
    }
  }

  /** Goes on without the majority, if this is a grid whose members do. */
  private void fork() {
    Topology first = forks.go(current, cutOff);
    if (first != null) {
      moveTo(first);
      begin(first);
    }
  }

  /** Tells the others of a grid this node has founded, and leads it. */
  private void begin(Topology first) {
    for (Member member : first.members()) {
      if (!member.equals(requests.self())) {
        register.tell(member, first);
      }
    }
    register.lead();
  }

  /** Goes on in a fork of this grid with the copies this node has. */
  private void moveTo(Topology fork) {
    past.left(current);
    startAnew();
    adopt(fork);
  }

  // ------------------------------------------------------------------ topologies

  /** A decided topology is told. */
  private void learn(Topology topology) {
    if (!current.founded()) {
      if (wantsIn() && past.admits(topology, requests.self()) && !topology.charter().givenUp()) {
        adopt(topology);
      }
    } else if (topology.charter().isForkOf(current)) {
      if (lapsed() && topology.members().contains(requests.self())) {
        moveTo(topology);
      }
    } else if (topology.gridId().equals(current.gridId()) && topology.number() > current.number()) {
      adopt(topology);
    }
  }

  /** Makes a decided topology this node's; why in this order is told at the top. */
  private void adopt(Topology topology) {
    boolean was = current.members().contains(requests.self());
    boolean is = topology.members().contains(requests.self());
    if (topology.charter().givenUp()) {
      giveUp();
      return;
    }
    List<Member> formerVoters = new ArrayList<>(current.membership().voters());
    formerVoters.removeAll(topology.members());
    departure.letGo(current, topology);
    current = topology;
    requests.grid(topology.gridId(), topology.charter().available());
    lease.adopted(topology.membership(), requests.self());
    grants.adopted(topology.membership());
    leader.adopted(topology);
    unanswered.adopted(topology);
    adopter.accept(topology);
    entered = topology.number();
    deferrals.adopted(topology.number());
    departure.adopted(topology);
    lookWhetherLeft();
    if (was && !is) {
      LOG.log(
          departure.wanted() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
          departure.wanted()
              ? "{0} has left"
              : "{0} was excluded, because the majority did not hear of it; it asks to be admitted"
                  + " again",
          requests.self());
    }
    register.adopted();
    if (!topology.membership().voters().contains(requests.self())) {
      register.resign();
    }
    if (register.leading()) {
      stepSoon();
    }
    renew();
    // Who has left waits for word that those who decide next know it.
    renewals.ask(current, formerVoters);
    meet();
    tickSoon();
    requests.replay();
    requests.wakeAll();
  }

  private void lookWhetherLeft() {
    if (!apart.getAsBoolean() && departure.look(current, view, alone())) {
      requests.wakeAll();
    }
  }

  /** Whether nobody of this node's grid is in sight, and that for long. */
  private boolean alone() {
    return lease.lapsedNanos() >= FORSAKEN_NANOS
        && view.stream()
            .noneMatch(
                member -> !member.equals(requests.self()) && current.members().contains(member));
  }

  /** The grid has ended in favour of another, at least for this node, which is as new. */
  private void giveUp() {
    if (current.charter().available() && current.charter().used()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} leaves {1} members of its side of a partition for those that go on; what was"
              + " written here is merged",
          requests.self(),
          current.members().size());
    } else {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} gives up its grid, in which nothing was written, for another of that name",
          requests.self());
    }
    past.left(current);
    Topology last = current;
    current = Topology.NONE;
    requests.grid(Topology.NONE.gridId(), last.charter().available());
    startAnew();
    adopter.accept(Topology.NONE);
    meetings.gaveUp(last);
    lookWhetherLeft();
    requests.wakeAll();
  }

  /** What leases, votes and reports of the last grid were about is over. */
  private void startAnew() {
    cutOff = false;
    entered = 0;
    deferrals.clear();
    forks.forget();
    lease.adopted(Membership.NONE, requests.self());
    grants.adopted(Membership.NONE);
    register.reset();
    leader.begin(Topology.NONE);
  }

  /** Runs a task, which must not wait, once a topology of at least this number is adopted. */
  public void whenAdopted(long number, Runnable task) {
    UUID its = current.gridId();
    if (entered >= number) {
      task.run();
      return;
    }
    lock.lock();
    try {
      if (!current.gridId().equals(its)) {
        // It is about a grid this node left while it waited for the lock.
        return;
      }
      if (entered >= number) {
        task.run();
      } else {
        deferrals.add(number, task);
      }
    } finally {
      lock.unlock();
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
      Topology next = leader.next(current, view, world.clock().nanoTime());
      if (next.number() != current.number()) {
        register.propose(next);
      } else if (leader.leftUndecided(current)) {
        register.propose(current.unchanged());
      }
    }
  }

  private final class Decisions implements Register.Owner {
    @Override
    public Topology current() {
      return current;
    }

    @Override
    public void decided(Topology topology) {
      learn(topology);
    }

    @Override
    public void ready() {
      leader.begin(current);
      meet();
      // Whatever voters took up of an earlier leader and nobody decided ends with the next
      // topology.
      register.propose(current.unchanged());
    }
  }
}
