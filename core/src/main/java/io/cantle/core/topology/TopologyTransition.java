package io.cantle.core.topology;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.StableStore;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
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
 *       ({@link GracefulLeave#releasedMembers}), which voters are gone.
 *   <li>The topology and its grid are shown. All that is told from here on is told of this grid,
 *       and messages of it are taken.
 *   <li>The {@link Lease} follows before the replicas do: who is a member no more has no right to
 *       answer when they drop what they hold, and one that is admitted again begins without.
 *   <li>{@link LeaseTable} count the members that are new as heard, and begin the wait for leases
 *       of former voters, before anybody can ask this node to accept an exclusion. The {@link
 *       LeaderState} forgets what the topology shows before the next one is made.
 *   <li>The adopter has every replica enter its new epoch. It finds all of the above in place: what
 *       it sends carries the grid, and what it reports is about this topology.
 *   <li>Only then {@link #whenAdopted} holds, which is asked without the lock: until then replicas
 *       may be in earlier epochs. Those that waited for it ({@link DeferredRequestQueue}) are run
 *       after that, so that what one of them asks for anew is not put off until a topology that may
 *       never come.
 *   <li>A leaving node that nothing needs any more gives its lease up before it tells the voters
 *       how far it is: they need not wait for that lease.
 *   <li>The {@link TopologyRegister} ends its round last of the parts. It may ask for promises
 *       anew, and where this node is the only voter have the next topology decided, which is
 *       adopted before it returns: the adopter has to have been given this one.
 *   <li>The voters, former ones too, are told that it is adopted. They take it for a promise: a
 *       newcomer votes and a leaving node goes by it, so the replicas must have entered.
 *   <li>Whoever came early for this grid, or waits for a change, looks again and finds it whole.
 * </ol>
 *
 * <p><b>Threading:</b> {@link #current}, {@link #writtenGridId} and {@link #whenAdopted} by any
 * thread; everything else guarded by the lock of the keeper.
 */
final class TopologyTransition {
  /** Without a lease for so long a node says that it is cut off instead of waiting. */
  private static final long CUT_OFF_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Without a lease, and without those in sight that could grant one, for so long it is over. */
  private static final long FORSAKEN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger(TopologyDriver.class.getName());

  final AgreementJournal journal;
  final StoreHistoryTable ages;
  final IncarnationTable incarnations;
  final Lease lease;
  final UnresponsiveMembers unresponsiveMembers;
  final LeaseTable leaseTable;
  final TopologyRegister register;
  final LeaderState leaderState;
  final GridDiscovery discovery;
  final GracefulLeave gracefulLeave;
  final LeaseRenewer leaseRenewer;
  private final ForkCoordinator forkCoordinator;
  final MissingVoters missingVoters;
  final JoinRefusalTracker refusals;

  private final MessagingService messaging;
  private final ReentrantLock lock;
  private final Consumer<Topology> adopter;
  private final TransitionListener listener;
  private final FormerGrids formerGrids = new FormerGrids();
  private final DeferredRequestQueue deferredRequests = new DeferredRequestQueue();

  private volatile Topology current = Topology.NONE;
  private volatile long enteredNumber;
  private volatile BooleanSupplier stayCondition = () -> false;
  private volatile UUID writtenGridId = Topology.NONE.gridId();
  private boolean cutOff;
  private boolean entering;
  private boolean restored;

  /** What a change of topologies brings about. */
  interface TransitionListener {
    /** This node may be let go by it. */
    void checkLeft();

    /**
     * It is this node's, and its replicas have entered it: the voters have to know.
     *
     * @param formerVoters those of the one before that are no members any more
     */
    void onAdopted(List<Member> formerVoters);

    /** The next life of this node will know the topology this one has adopted. */
    void onSaved();

    /** This node may propose. */
    void onLeading();
  }

  /** Without a topology yet. */
  TopologyTransition(
      MessagingService messaging,
      Environment environment,
      ReentrantLock lock,
      TopologyDriver.JoinSettings joinSettings,
      ForeignGridListener foreignGridListener,
      Consumer<Topology> adopter,
      StableStore stableStore,
      TransitionListener listener) {
    this.messaging = messaging;
    this.lock = lock;
    this.adopter = adopter;
    this.listener = listener;
    this.journal = new AgreementJournal(stableStore, environment, lock);
    this.ages = new StoreHistoryTable(stableStore, environment, lock);
    this.incarnations = new IncarnationTable(messaging);
    this.lease = new Lease(environment.clock());
    this.unresponsiveMembers = new UnresponsiveMembers(environment.clock());
    this.leaseTable = new LeaseTable(environment.clock());
    this.register =
        new TopologyRegister(
            messaging,
            environment,
            lock,
            leaseTable,
            lease,
            incarnations,
            journal,
            new RegisterCallbacks());
    this.leaderState =
        new LeaderState(leaseTable, new MemberHealth(environment.clock()), messaging, incarnations);
    this.discovery =
        new GridDiscovery(
            messaging, environment, joinSettings, lease, incarnations, foreignGridListener);
    this.gracefulLeave = new GracefulLeave(messaging, lease, register, leaderState, incarnations);
    this.leaseRenewer =
        new LeaseRenewer(
            messaging,
            environment,
            lease,
            leaseTable,
            register,
            leaderState,
            incarnations,
            journal);
    this.forkCoordinator = new ForkCoordinator(messaging, environment, register, discovery);
    this.missingVoters = new MissingVoters(messaging, incarnations, environment.clock());
    this.refusals =
        new JoinRefusalTracker(messaging, environment.clock(), lease, foreignGridListener);
  }

  /** The topology adopted last. */
  Topology current() {
    return current;
  }

  // ------------------------------------------------------------------ whose this node is

  /** Whether this node has found no majority for so long that it is cut off. */
  boolean isLapsed() {
    return current.isFounded() && lease.lapsedNanos() >= CUT_OFF_AFTER_NANOS;
  }

  /** Whether that was so long ago that nobody is waited for who is not in sight. */
  boolean isForsaken() {
    return lease.lapsedNanos() >= FORSAKEN_AFTER_NANOS;
  }

  /** Whether nobody of this node's grid is in sight, and that for long. */
  boolean isAlone(List<Member> view) {
    return isForsaken()
        && view.stream()
            .noneMatch(
                member -> !member.equals(messaging.self()) && current.members().contains(member));
  }

  /** This node takes part in a write although its topology does not know of any yet. */
  void recordWrite() {
    UUID its = current.gridId();
    if (!writtenGridId.equals(its)) {
      // Under the lock: either it is seen before this node gives its grid up, or that is over.
      lock.lock();
      try {
        writtenGridId = its;
      } finally {
        lock.unlock();
      }
    }
  }

  /** While this holds this node stays although it leaves. */
  void setStayCondition(BooleanSupplier condition) {
    stayCondition = condition;
  }

  /** Whether it has what is still to be merged. */
  boolean mustStay() {
    return stayCondition.getAsBoolean();
  }

  /** Whether this node, should it be no member, is to become one: who leaves holds something. */
  boolean wantsMembership() {
    return !gracefulLeave.isRequested()
        || stayCondition.getAsBoolean()
        || current.needs(messaging.self());
  }

  /**
   * Whether this node holds nothing and can do nothing: it is cut off in a grid in which nothing
   * was written that it took part in, nor has it accepted that it may be. If others show that they
   * are not in that grid, as happens when several nodes found one at the same moment, it may forget
   * it like a node that stops.
   */
  boolean holdsNothing() {
    return isLapsed()
        && !writtenGridId.equals(current.gridId())
        && !current.gridDefinition().isWritten()
        && !register.mayBeWritten();
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
    if (journal.isDurable()) {
      leaseTable.recordRestart();
      ages.beginIncarnation(messaging.self());
    }
    Topology its = journal.foundRecord().currentTopology();
    register.restore(journal.foundRecord());
    if (its.isFounded()) {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} was in grid {1} before it started, of which it knows topology {2}",
          messaging.self(),
          its.gridId(),
          its.number());
      discovery.checkRestored(its.gridDefinition().partitionHandling());
      adopt(its);
    }
  }

  /** Whether this node may say which topology it has adopted. */
  boolean isAdoptionDurable() {
    return journal.announceableNumber(current) == current.number();
  }

  /** Why this node is not in a grid, or can do nothing in it; empty if it is all right. */
  String trouble() {
    String refused = refusals.refusalText();
    return refused.isEmpty() ? missingVoters.text() : refused;
  }

  /** Whether what a node says counts: not if it comes back and its store may be an old copy. */
  boolean trusts(Member from) {
    return from.equals(messaging.self())
        || current.members().contains(from)
        || ages.isTrusted(from);
  }

  /** A voter that is to be admitted in its present life is heard of by whatever it says. */
  void onVoterHeard(Member from) {
    if (from.hasStore() && current.membership().isVoter(from)) {
      incarnations.recordHeard(from);
      if (!current.members().contains(from)) {
        leaseTable.recordHeard(from);
        leaderState.recordReturn(from);
      }
    }
  }

  /**
   * Whether this node votes and is yet to be admitted in this life: while most of the voters are in
   * that state nobody has a lease, and one of them leads all the same.
   */
  boolean isReturningVoter() {
    return messaging.self().hasStore()
        && !current.members().contains(messaging.self())
        && current.membership().isVoter(messaging.self());
  }

  /** Whether this node is about to be in a grid. */
  boolean isEntering() {
    return entering;
  }

  /**
   * Makes a grid this node's that has none. One with a store must not forget it once others count
   * on it: they would take its next life for one that brings what this one held.
   */
  void enterGrid(Topology topology, Runnable onEntered) {
    if (entering) {
      return;
    }
    entering = true;
    register.saveFirst(
        topology,
        () -> {
          entering = false;
          if (!current.isFounded()) {
            adopt(topology);
            onEntered.run();
          }
        });
  }

  /** A decided topology is told. */
  void learnTopology(Topology topology) {
    if (!current.isFounded()) {
      if (wantsMembership()
          && formerGrids.isAdmittedBy(topology, messaging.self())
          && !topology.gridDefinition().isSuperseded()) {
        enterGrid(topology, () -> {});
      }
    } else if (isFollowed(topology)) {
      follow(topology, () -> {});
    } else if (topology.gridDefinition().isForkOf(current)) {
      if (isLapsed() && topology.members().contains(messaging.self())) {
        moveToFork(topology);
      }
    } else if (topology.gridId().equals(current.gridId()) && topology.number() > current.number()) {
      adopt(topology);
    }
  }

  /** Whether this node's grid goes on as that of a topology, after a recovery, and with it. */
  private boolean isFollowed(Topology topology) {
    GridLineage.ForkStep left = topology.gridDefinition().lineage().recoveryOf(current.gridId());
    return left != null
        && left.topologyNumber() >= current.number()
        && !lease.isValid()
        && !topology.gridDefinition().isGivenUp(messaging.self());
  }

  /**
   * Goes on in the grid this one has become by a recovery, with the copies this node has. On disk
   * that is known before any copy says that it belongs there.
   */
  private void follow(Topology topology, Runnable onEntered) {
    if (entering) {
      return;
    }
    entering = true;
    Topology left = current;
    register.saveFirst(
        topology,
        () -> {
          entering = false;
          if (current.gridId().equals(left.gridId())) {
            formerGrids.recordLeft(left);
            // Not the former one: the notes would say that this node is there.
            current = topology;
            resetGridState();
            adopt(topology);
            onEntered.run();
          }
        });
  }

  /** Goes on without those an operator has given up. */
  void recover(Topology first) {
    follow(first, () -> announceAndLead(first));
  }

  /** Makes a decided topology this node's; why in this order is told at the top. */
  void adopt(Topology topology) {
    boolean wasMember = current.members().contains(messaging.self());
    boolean isMember = topology.members().contains(messaging.self());
    if (topology.gridDefinition().isSuperseded()) {
      giveUpGrid();
      return;
    }
    List<Member> formerVoters = new ArrayList<>(current.membership().voters());
    formerVoters.removeAll(topology.members());
    gracefulLeave.recordReleased(current, topology);
    current = topology;
    messaging.enterGrid(topology.gridId(), topology.gridDefinition().prefersAvailability());
    incarnations.onTopologyAdopted(topology.membership());
    lease.onTopologyAdopted(topology.membership(), messaging.self());
    leaseTable.onTopologyAdopted(topology.membership());
    leaderState.onTopologyAdopted(topology);
    unresponsiveMembers.onTopologyAdopted(topology);
    ages.onTopology(topology);
    adopter.accept(topology);
    enteredNumber = topology.number();
    deferredRequests.onTopologyAdopted(topology.number());
    gracefulLeave.onTopologyAdopted(topology);
    listener.checkLeft();
    if (wasMember && !isMember) {
      LOG.log(
          gracefulLeave.isRequested() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
          gracefulLeave.isRequested()
              ? "{0} has left"
              : "{0} was excluded, because the majority did not hear of it; it asks to be admitted"
                  + " again",
          messaging.self());
    }
    register.onTopologyAdopted();
    if (!topology.membership().isVoter(messaging.self())) {
      register.resign();
    }
    listener.onAdopted(formerVoters);
    messaging.replayEarly();
    messaging.wakeAll();
  }

  /** Runs a task, which must not wait, once a topology of at least this number is adopted. */
  void whenAdopted(long number, Runnable task) {
    UUID its = current.gridId();
    if (enteredNumber >= number) {
      task.run();
      return;
    }
    lock.lock();
    try {
      if (!current.gridId().equals(its)) {
        // It is about a grid this node left while it waited for the lock.
        return;
      }
      if (enteredNumber >= number) {
        task.run();
      } else {
        deferredRequests.add(number, task);
      }
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------ another grid, or none

  /** Looks whether this node is cut off; goes on without the majority where its grid is to. */
  void checkCutOff() {
    boolean wasMember = cutOff;
    cutOff = isLapsed();
    missingVoters.update(current, cutOff);
    if (cutOff && !wasMember) {
      messaging.wakeAll();
    }
    forkIfCutOff();
  }

  /** A member says that it is cut off. */
  void onCutOff(Member from, Input in) {
    forkCoordinator.onCutOff(current, from, in);
  }

  /** Goes on without the majority, if this is a grid whose members do. */
  private void forkIfCutOff() {
    Topology first = forkCoordinator.forkIfCutOff(current, cutOff);
    if (first != null) {
      moveToFork(first);
      announceAndLead(first);
    }
  }

  /** Tells the others of a grid this node has founded, and leads it. */
  void announceAndLead(Topology first) {
    for (Member member : first.members()) {
      if (!member.equals(messaging.self())) {
        register.sendTopology(member, first);
      }
    }
    register.startLeading();
  }

  /** Goes on in a fork of this grid with the copies this node has. */
  private void moveToFork(Topology fork) {
    formerGrids.recordLeft(current);
    resetGridState();
    adopt(fork);
  }

  /** The grid has ended in favour of another, at least for this node, which is as new. */
  void giveUpGrid() {
    if (current.gridDefinition().prefersAvailability() && current.gridDefinition().isWritten()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} leaves {1} members of its side of a partition for those that go on; what was"
              + " written here is merged",
          messaging.self(),
          current.members().size());
    } else {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} gives up its grid, in which nothing was written, for another of that name",
          messaging.self());
    }
    formerGrids.recordLeft(current);
    Topology last = current;
    current = Topology.NONE;
    messaging.enterGrid(Topology.NONE.gridId(), last.gridDefinition().prefersAvailability());
    resetGridState();
    adopter.accept(Topology.NONE);
    discovery.onGridGivenUp(last);
    listener.checkLeft();
    messaging.wakeAll();
  }

  /** What leases, votes and reports of the last grid were about is over. */
  private void resetGridState() {
    cutOff = false;
    enteredNumber = 0;
    deferredRequests.clear();
    forkCoordinator.reset();
    lease.onTopologyAdopted(Membership.NONE, messaging.self());
    leaseTable.onTopologyAdopted(Membership.NONE);
    register.reset();
    leaderState.reset(Topology.NONE);
  }

  private final class RegisterCallbacks implements TopologyRegister.RegisterListener {
    @Override
    public Topology currentTopology() {
      return current;
    }

    @Override
    public void onDecided(Topology topology) {
      learnTopology(topology);
    }

    @Override
    public void onSaved() {
      if (journal.isDurable()) {
        listener.onSaved();
      }
    }

    @Override
    public void onReady() {
      leaderState.reset(current);
      listener.onLeading();
      // Whatever voters took up of an earlier leader and nobody decided ends with the next
      // topology.
      register.propose(current.withNextNumber());
    }
  }
}
