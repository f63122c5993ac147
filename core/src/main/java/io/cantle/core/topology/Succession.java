package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Notes;
import io.cantle.core.base.World;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * How this node goes from one topology to the next, from one grid to another, or to none, and takes
 * along the parts that know something of it: when and in which order is said here alone.
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
 * <p><b>Threading:</b> {@link #current}, {@link #touched} and {@link #whenAdopted} by any thread;
 * everything else guarded by the lock of the keeper.
 */
final class Succession {
  /** Without a lease for so long a node says that it is cut off instead of waiting. */
  private static final long CUT_OFF_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Without a lease, and without those in sight that could grant one, for so long it is over. */
  private static final long FORSAKEN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger(TopologyKeeper.class.getName());

  final Ledger ledger;
  final StoreAges ages;
  final Lives lives;
  final Lease lease;
  final Unanswered unanswered;
  final Grants grants;
  final Register register;
  final Leader leader;
  final Meetings meetings;
  final Departure departure;
  final Renewals renewals;
  private final Forks forks;
  final MissingVoters missingVoters;
  final Refusals refusals;

  private final Requests requests;
  private final ReentrantLock lock;
  private final Consumer<Topology> adopter;
  private final Owner owner;
  private final Past past = new Past();
  private final Deferrals deferrals = new Deferrals();

  private volatile Topology current = Topology.NONE;
  private volatile long entered;
  private volatile BooleanSupplier apart = () -> false;
  private volatile UUID touched = Topology.NONE.gridId();
  private boolean cutOff;
  private boolean entering;
  private boolean restored;

  /** What a change of topologies brings about. */
  interface Owner {
    /** This node may be let go by it. */
    void lookWhetherLeft();

    /**
     * It is this node's, and its replicas have entered it: the voters have to know.
     *
     * @param formerVoters those of the one before that are no members any more
     */
    void adopted(List<Member> formerVoters);

    /** The next life of this node will know the topology this one has adopted. */
    void kept();

    /** This node may propose. */
    void leads();
  }

  /** Without a topology yet. */
  Succession(
      Requests requests,
      World world,
      ReentrantLock lock,
      TopologyKeeper.Founding founding,
      Foreign foreign,
      Consumer<Topology> adopter,
      Notes notes,
      Owner owner) {
    this.requests = requests;
    this.lock = lock;
    this.adopter = adopter;
    this.owner = owner;
    this.ledger = new Ledger(notes, world, lock);
    this.ages = new StoreAges(notes, world, lock);
    this.lives = new Lives(requests);
    this.lease = new Lease(world.clock());
    this.unanswered = new Unanswered(world.clock());
    this.grants = new Grants(world.clock());
    this.register =
        new Register(requests, world, lock, grants, lease, lives, ledger, new Decisions());
    this.leader = new Leader(grants, new Impaired(world.clock()), requests, lives);
    this.meetings = new Meetings(requests, world, founding, lease, lives, foreign);
    this.departure = new Departure(requests, lease, register, leader, lives);
    this.renewals = new Renewals(requests, world, lease, grants, register, leader, lives, ledger);
    this.forks = new Forks(requests, world, register, meetings);
    this.missingVoters = new MissingVoters(requests, lives, world.clock());
    this.refusals = new Refusals(requests, world.clock(), lease, foreign);
  }

  /** The topology adopted last. */
  Topology current() {
    return current;
  }

  // ------------------------------------------------------------------ whose this node is

  /** Whether this node has found no majority for so long that it is cut off. */
  boolean lapsed() {
    return current.founded() && lease.lapsedNanos() >= CUT_OFF_NANOS;
  }

  /** Whether that was so long ago that nobody is waited for who is not in sight. */
  boolean forsaken() {
    return lease.lapsedNanos() >= FORSAKEN_NANOS;
  }

  /** Whether nobody of this node's grid is in sight, and that for long. */
  boolean alone(List<Member> view) {
    return forsaken()
        && view.stream()
            .noneMatch(
                member -> !member.equals(requests.self()) && current.members().contains(member));
  }

  /** This node takes part in a write although its topology does not know of any yet. */
  void touched() {
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

  /** While this holds this node stays although it leaves. */
  void staysWhile(BooleanSupplier condition) {
    apart = condition;
  }

  /** Whether it has what is still to be merged. */
  boolean staysApart() {
    return apart.getAsBoolean();
  }

  /** Whether this node, should it be no member, is to become one: who leaves holds something. */
  boolean wantsIn() {
    return !departure.wanted() || apart.getAsBoolean() || current.needs(requests.self());
  }

  /**
   * Whether this node holds nothing and can do nothing: it is cut off in a grid in which nothing
   * was written that it took part in, nor has it accepted that it may be. If others show that they
   * are not in that grid, as happens when several nodes found one at the same moment, it may forget
   * it like a node that stops.
   */
  boolean empty() {
    return lapsed()
        && !touched.equals(current.gridId())
        && !current.charter().used()
        && !register.mayBeUsed();
  }

  // ------------------------------------------------------------------ the next topology

  /**
   * Goes on, once, in the grid an earlier life of this node was in, as one that was excluded: it
   * asks to be admitted, and votes meanwhile if its node does.
   */
  void restore() {
    if (restored) {
      return;
    }
    restored = true;
    if (ledger.lasts()) {
      grants.restarted();
      ages.begin(requests.self());
    }
    Topology its = ledger.found().current();
    register.restore(ledger.found());
    if (its.founded()) {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} was in grid {1} before it started, of which it knows topology {2}",
          requests.self(),
          its.gridId(),
          its.number());
      meetings.restored(its.charter().mode());
      adopt(its);
    }
  }

  /** Whether this node may say which topology it has adopted. */
  boolean known() {
    return ledger.told(current) == current.number();
  }

  /** Why this node is not in a grid, or can do nothing in it; empty if it is all right. */
  String trouble() {
    String refused = refusals.text();
    return refused.isEmpty() ? missingVoters.text() : refused;
  }

  /** Whether what a node says counts: not if it comes back and its store may be an old copy. */
  boolean trusts(Member from) {
    return from.equals(requests.self()) || current.members().contains(from) || ages.trusts(from);
  }

  /** A voter that is to be admitted in its present life is heard of by whatever it says. */
  void heard(Member from) {
    if (from.durable() && current.membership().votes(from)) {
      lives.heard(from);
      if (!current.members().contains(from)) {
        grants.heard(from);
        leader.returned(from);
      }
    }
  }

  /**
   * Whether this node votes and is yet to be admitted in this life: while most of the voters are in
   * that state nobody has a lease, and one of them leads all the same.
   */
  boolean returning() {
    return requests.self().durable()
        && !current.members().contains(requests.self())
        && current.membership().votes(requests.self());
  }

  /** Whether this node is about to be in a grid. */
  boolean entering() {
    return entering;
  }

  /**
   * Makes a grid this node's that has none. One with a store must not forget it once others count
   * on it: they would take its next life for one that brings what this one held.
   */
  void enter(Topology topology, Runnable then) {
    if (entering) {
      return;
    }
    entering = true;
    register.enter(
        topology,
        () -> {
          entering = false;
          if (!current.founded()) {
            adopt(topology);
            then.run();
          }
        });
  }

  /** A decided topology is told. */
  void learn(Topology topology) {
    if (!current.founded()) {
      if (wantsIn() && past.admits(topology, requests.self()) && !topology.charter().givenUp()) {
        enter(topology, () -> {});
      }
    } else if (isFollowed(topology)) {
      follow(topology, () -> {});
    } else if (topology.charter().isForkOf(current)) {
      if (lapsed() && topology.members().contains(requests.self())) {
        moveTo(topology);
      }
    } else if (topology.gridId().equals(current.gridId()) && topology.number() > current.number()) {
      adopt(topology);
    }
  }

  /** Whether this node's grid goes on as that of a topology, after a recovery, and with it. */
  private boolean isFollowed(Topology topology) {
    Descent.Step left = topology.charter().descent().recoveryOf(current.gridId());
    return left != null
        && left.number() >= current.number()
        && !lease.lasts()
        && !topology.charter().isGivenUp(requests.self());
  }

  /**
   * Goes on in the grid this one has become by a recovery, with the copies this node has. On disk
   * that is known before any copy says that it belongs there.
   */
  private void follow(Topology topology, Runnable then) {
    if (entering) {
      return;
    }
    entering = true;
    Topology left = current;
    register.enter(
        topology,
        () -> {
          entering = false;
          if (current.gridId().equals(left.gridId())) {
            past.left(left);
            // Not the former one: the notes would say that this node is there.
            current = topology;
            startAnew();
            adopt(topology);
            then.run();
          }
        });
  }

  /** Goes on without those an operator has given up. */
  void recover(Topology first) {
    follow(first, () -> begin(first));
  }

  /** Makes a decided topology this node's; why in this order is told at the top. */
  void adopt(Topology topology) {
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
    lives.adopted(topology.membership());
    lease.adopted(topology.membership(), requests.self());
    grants.adopted(topology.membership());
    leader.adopted(topology);
    unanswered.adopted(topology);
    ages.adopted(topology);
    adopter.accept(topology);
    entered = topology.number();
    deferrals.adopted(topology.number());
    departure.adopted(topology);
    owner.lookWhetherLeft();
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
    if (!topology.membership().votes(requests.self())) {
      register.resign();
    }
    owner.adopted(formerVoters);
    requests.replay();
    requests.wakeAll();
  }

  /** Runs a task, which must not wait, once a topology of at least this number is adopted. */
  void whenAdopted(long number, Runnable task) {
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

  // ------------------------------------------------------------------ another grid, or none

  /** Looks whether this node is cut off; goes on without the majority where its grid is to. */
  void lookWhetherCutOff() {
    boolean was = cutOff;
    cutOff = lapsed();
    missingVoters.look(current, cutOff);
    if (cutOff && !was) {
      requests.wakeAll();
    }
    fork();
  }

  /** A member says that it is cut off. */
  void cutCame(Member from, Input in) {
    forks.cutCame(current, from, in);
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
  void begin(Topology first) {
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

  /** The grid has ended in favour of another, at least for this node, which is as new. */
  void giveUp() {
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
    owner.lookWhetherLeft();
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
    public void kept() {
      if (ledger.lasts()) {
        owner.kept();
      }
    }

    @Override
    public void ready() {
      leader.begin(current);
      owner.leads();
      // Whatever voters took up of an earlier leader and nobody decided ends with the next
      // topology.
      register.propose(current.unchanged());
    }
  }
}
