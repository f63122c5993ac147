package io.cantle.core.topology;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.AgreementJournal;
import io.cantle.core.agreement.LeaderState;
import io.cantle.core.agreement.Lease;
import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.agreement.RegisterEvent;
import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.base.Environment;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.FormerGrids;
import io.cantle.core.discovery.GracefulLeave;
import io.cantle.core.discovery.GridDiscovery;
import io.cantle.core.discovery.GridMembership;
import io.cantle.core.discovery.JoinRefusalTracker;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.discovery.MissingVoters;
import io.cantle.core.discovery.StoreHistoryTable;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Takes this node from one topology to the next, from one grid to another, or to none. It updates
 * the parts that depend on the topology; when and in which order is decided here alone.
 *
 * <p><b>Adopting</b> is done in one go, with the lock held. Most of the order does not matter to
 * code that needs the lock. It matters a great deal to what is read without the lock, and to
 * callbacks:
 *
 * <ol>
 *   <li>What depends on the previous topology is taken from it while it is there: which members are
 *       let go ({@link GracefulLeave#recordReleased}), and which voters are gone.
 *   <li>The topology and its grid become visible. All messages sent from here on name this grid,
 *       and messages that name it are accepted.
 *   <li>The {@link Lease} follows before the replicas do. A node that is no longer a member has no
 *       right to answer when its replicas drop what they hold. One that is admitted again begins
 *       without a lease.
 *   <li>The {@link LeaseTable} counts new members as heard and begins the wait for leases that
 *       former voters granted. This happens before any node can ask this one to accept an
 *       exclusion. The {@link LeaderState} forgets what the topology now shows before the next
 *       topology is planned.
 *   <li>The listener has every replica enter its new epoch. It finds all of the above in place: its
 *       messages name the grid, and its reports are about this topology.
 *   <li>Only then does {@link #runOnceAdopted}, which is called without the lock, run tasks for
 *       this topology; until then replicas may be in earlier epochs. Tasks that waited for it
 *       ({@link AwaitedTopologyQueue}) run after that. So what one of them requests anew is not
 *       deferred until a topology that may never come.
 *   <li>A leaving node that no segment needs any more gives its lease up before it tells the voters
 *       how far it is. The voters need not wait for that lease then.
 *   <li>The {@link TopologyRegister} is the last part to end its round. It may ask for promises
 *       anew. Where this node is the only voter, it may have the next topology decided, which is
 *       adopted before the call returns. So the listener must have received this one before.
 *   <li>The voters, former ones too, are told that it is adopted. They take that for a promise: a
 *       new member's vote and a node's leave depend on it, so the replicas must have entered their
 *       epochs.
 *   <li>Messages that came early for this grid and threads that wait for a change are served last,
 *       and find it complete.
 * </ol>
 *
 * <p><b>Threading:</b> {@link #current}, {@link #recordWrite}, {@link #shouldReportWrite} and
 * {@link #runOnceAdopted} by any thread; everything else guarded by the lock of {@link
 * TopologyDriver}.
 */
final class TopologyTransition implements GridMembership {
  /** After this long without a lease, a node says that it is cut off instead of waiting. */
  private static final long CUT_OFF_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** After this long without a lease, a node no longer waits for members that are not visible. */
  private static final long FORSAKEN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger(TopologyDriver.class.getName());

  final TopologyMaintenance maintenance;
  final Agreement agreement;
  final StoreHistoryTable storeHistories;
  final UnresponsiveMembers unresponsiveMembers;
  final GridDiscovery discovery;
  final GracefulLeave gracefulLeave;
  final ForkTransition forks;
  final MissingVoters missingVoters;
  final JoinRefusalTracker refusals;

  /** The topology in which this node last reported that a caller wants to write; 0 for none. */
  final AtomicLong reportedWriteNumber = new AtomicLong();

  private final MessagingService messaging;
  private final Object lock;
  private final TopologyListener listener;

  private final FormerGrids formerGrids = new FormerGrids();
  private final AwaitedTopologyQueue deferredRequests = new AwaitedTopologyQueue();

  private volatile Topology current = Topology.NONE;
  private volatile long enteredNumber;
  private volatile BooleanSupplier stayCondition = () -> false;
  private volatile UUID writtenGridId = Topology.NONE.gridId();
  private boolean cutOff;
  private boolean entering;
  private boolean restored;

  /** Begins without a topology. */
  TopologyTransition(
      MessagingService messaging,
      Environment environment,
      Object lock,
      JoinSettings joinSettings,
      TopologyListener listener,
      StableStore stableStore,
      TopologyMaintenance maintenance) {
    this.messaging = messaging;
    this.lock = lock;
    this.listener = listener;
    this.maintenance = maintenance;
    this.agreement = Agreement.create(messaging, environment, lock, stableStore);
    this.storeHistories = new StoreHistoryTable(stableStore);
    this.unresponsiveMembers = new UnresponsiveMembers(environment.clock());
    this.discovery = new GridDiscovery(messaging.self(), joinSettings, agreement);
    this.gracefulLeave = new GracefulLeave(messaging.self(), agreement);
    this.forks = new ForkTransition(messaging, environment, this);
    this.missingVoters = new MissingVoters(messaging.self(), agreement.incarnations());
    this.refusals = new JoinRefusalTracker(messaging.self(), agreement.lease());
  }

  @Override
  public Topology current() {
    return current;
  }

  // ------------------------------------------------------------------ state of this node

  @Override
  public boolean isLapsed() {
    return current.isFounded() && agreement.lease().lapsedNanos() >= CUT_OFF_AFTER_NANOS;
  }

  @Override
  public boolean isLongLapsed() {
    return agreement.lease().lapsedNanos() >= FORSAKEN_AFTER_NANOS;
  }

  /** Whether no other member of this node's grid is visible, and that for a long time. */
  boolean isAlone(List<Member> view) {
    return isLongLapsed()
        && view.stream()
            .noneMatch(
                member -> !member.equals(messaging.self()) && current.members().contains(member));
  }

  /**
   * Records that this node takes part in a write although its topology does not know of any yet.
   */
  void recordWrite() {
    UUID its = current.gridId();
    if (!writtenGridId.equals(its)) {
      // Under the lock, so that giving the grid up either sees this or is over before it.
      synchronized (lock) {
        writtenGridId = its;
      }
    }
  }

  /**
   * Whether to report now that a caller wants to write. Each of many would send the same report.
   */
  boolean shouldReportWrite() {
    long number = current.number();
    return reportedWriteNumber.getAndSet(number) != number;
  }

  /** Sets a condition under which this node stays although it is leaving. */
  void setStayCondition(BooleanSupplier condition) {
    stayCondition = condition;
  }

  /** Whether this node holds data that is still to be merged. */
  boolean mustStay() {
    return stayCondition.getAsBoolean();
  }

  @Override
  public boolean wantsMembership() {
    return !gracefulLeave.isRequested()
        || stayCondition.getAsBoolean()
        || current.needs(messaging.self());
  }

  @Override
  public boolean holdsNothing() {
    return isLapsed() && knowsOfNoWrite();
  }

  @Override
  public boolean knowsOfNoWrite() {
    return !writtenGridId.equals(current.gridId())
        && !current.gridDefinition().isWritten()
        && !agreement.register().mayBeWritten();
  }

  // ------------------------------------------------------------------ the next topology

  /**
   * Continues, once, in the grid that an earlier incarnation of this node was in. Like an excluded
   * member, it asks to be admitted. It votes in the meantime if its node is a voter.
   */
  void restore() {
    if (restored) {
      return;
    }
    restored = true;
    if (agreement.journal().isDurable()) {
      agreement.leaseTable().recordRestart(maintenance.nanoTime());
      storeHistories.beginIncarnation(messaging.self()).forEach(maintenance::perform);
    }
    AgreementJournal.AgreementRecord found = agreement.journal().foundRecord();
    Topology its = found.currentTopology();
    agreement.register().restore(found, maintenance.nanoTime());
    if (its.isFounded()) {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} was in grid {1} before it started, of which it knows topology {2}",
          messaging.self(),
          its.gridId(),
          its.number());
      discovery
          .checkPartitionHandling(its.gridDefinition().partitionHandling())
          .forEach(maintenance::perform);
      adopt(its);
    }
  }

  /** Whether this node must neither vote nor answer: it was refused. */
  boolean isSilenced() {
    return refusals.isSilenced(maintenance.nanoTime());
  }

  /** Whether this node may say which topology it has adopted. */
  boolean isAdoptionDurable() {
    return agreement.journal().announceableNumber(current) == current.number();
  }

  /** Why this node is not in a grid, or can do nothing in it; empty if all is well. */
  String problemText() {
    String refused = refusals.refusalText(maintenance.nanoTime());
    return refused.isEmpty() ? missingVoters.text() : refused;
  }

  /**
   * Whether messages of a node count. They do not if it has restarted and its store may be an old
   * copy.
   */
  boolean trusts(Member from) {
    return from.equals(messaging.self())
        || current.members().contains(from)
        || storeHistories.isTrusted(from);
  }

  /**
   * Whether this node is a voter that is yet to be admitted in this incarnation. While most voters
   * are in that state, no member has a lease, and one of them must lead all the same.
   */
  boolean isReturningVoter() {
    return messaging.self().hasStore()
        && !current.members().contains(messaging.self())
        && current.membership().isVoter(messaging.self());
  }

  @Override
  public boolean isEntering() {
    return entering;
  }

  /** Enters a grid that this node founds, and leads it. */
  void createGrid(Topology first) {
    enterGrid(first, () -> announceAndLead(first));
  }

  /**
   * Makes a grid this node's grid, if it has none, or the grid that its own has become by a
   * recovery; then it continues there with its replicas. A node with a store must not forget the
   * grid once others count on it. They would believe that its next incarnation brings what this one
   * held. So the grid is on disk before any replica says that it belongs to it.
   */
  private void enterGrid(Topology topology, Runnable onEntered) {
    if (entering) {
      return;
    }
    entering = true;
    Topology left = current;
    maintenance.saveFirst(
        topology,
        () -> {
          entering = false;
          if (current.gridId().equals(left.gridId())) {
            if (left.isFounded()) {
              formerGrids.recordLeft(left);
              // Set before the reset: with the former topology, the records would say that this
              // node is still there.
              current = topology;
              resetGridState();
            }
            adopt(topology);
            onEntered.run();
          }
        });
  }

  /** Handles a topology that is known to be decided. */
  void learnTopology(Topology topology) {
    if (!current.isFounded()) {
      if (wantsMembership()
          && formerGrids.isAdmittedBy(topology, messaging.self())
          && !topology.gridDefinition().isSuperseded()) {
        enterGrid(topology, () -> {});
      }
    } else if (isFollowed(topology)) {
      enterGrid(topology, () -> {});
    } else if (!topology.gridId().equals(current.gridId())) {
      forks.follow(topology);
    } else if (topology.number() > current.number()) {
      adopt(topology);
    }
  }

  /**
   * Whether a topology continues this node's grid after a recovery, and this node may follow it.
   */
  private boolean isFollowed(Topology topology) {
    GridLineage.ForkStep left = topology.gridDefinition().lineage().recoveryOf(current.gridId());
    return left != null
        && left.topologyNumber() >= current.number()
        && !agreement.lease().isValid()
        && !topology.gridDefinition().isGivenUp(messaging.self());
  }

  /** Makes a decided topology this node's. The class comment explains the order. */
  void adopt(Topology topology) {
    if (topology.gridDefinition().isSuperseded()) {
      giveUpGrid();
      return;
    }
    List<Member> formerVoters = new ArrayList<>(current.membership().voters());
    formerVoters.removeAll(topology.members());
    gracefulLeave.recordReleased(current, topology);
    current = topology;
    messaging.enterGrid(
        topology.gridId(), topology.gridDefinition().prefersAvailability(), topology.members());
    agreement.onTopologyAdopted(topology, messaging.self(), maintenance.nanoTime());
    unresponsiveMembers.onTopologyAdopted(topology);
    storeHistories.onTopology(topology);
    listener.adopt(topology);
    enteredNumber = topology.number();
    deferredRequests.onTopologyAdopted(topology.number());
    if (gracefulLeave.onTopologyAdopted(topology)) {
      agreement.lease().release();
    }
    maintenance.checkLeft();
    maintenance.step(new RegisterEvent.TopologyAdopted(current));
    if (!topology.membership().isVoter(messaging.self())) {
      agreement.register().resign();
    }
    maintenance.onAdopted(formerVoters);
    messaging.replayEarly();
    messaging.wakeAll();
  }

  /** Runs a task, which must not wait, once a topology of at least this number has been adopted. */
  void runOnceAdopted(long number, Runnable task) {
    UUID its = current.gridId();
    if (enteredNumber >= number) {
      task.run();
      return;
    }
    synchronized (lock) {
      if (!current.gridId().equals(its)) {
        // It is about a grid that this node left while this thread waited for the lock.
        return;
      }
      if (enteredNumber >= number) {
        task.run();
      } else {
        deferredRequests.add(number, task);
      }
    }
  }

  // ------------------------------------------------------------------ another grid, or none

  /** Checks whether this node is cut off, and does what its grid wants then. */
  void checkCutOff() {
    boolean wasCutOff = cutOff;
    cutOff = isLapsed();
    missingVoters.update(current, cutOff);
    if (cutOff && !wasCutOff) {
      messaging.wakeAll();
    }
    if (cutOff && !gracefulLeave.isRequested()) {
      listener.onCutOff(missingVoters.text());
    } else if (agreement.lease().isHeld()) {
      listener.onLeaseHeld();
    }
    forks.onCheck(cutOff);
  }

  /** Tells the other members of a grid that this node has founded, and leads it. */
  void announceAndLead(Topology first) {
    first.members().stream()
        .filter(member -> !member.equals(messaging.self()))
        .forEach(member -> maintenance.send(member, first));

    maintenance.step(new RegisterEvent.LeadRequested());
  }

  /** Continues in another grid with this node's replicas. */
  void continueIn(Topology first) {
    formerGrids.recordLeft(current);
    resetGridState();
    adopt(first);
  }

  /** Ends this grid, if this node leads it, so that its members join another. */
  void endGrid() {
    if (agreement.register().isReady()) {
      maintenance.step(
          new RegisterEvent.TopologyProposed(
              new Topology(
                  current.number() + 1,
                  current.gridDefinition().asSuperseded(),
                  current.membership(),
                  current.caches())));
    }
  }

  /** Gives this grid up for another. Afterwards this node is like a new one. */
  void giveUpGrid() {
    if (!forks.reportGivingWay(current)) {
      LOG.log(
          System.Logger.Level.INFO,
          "{0} gives up its grid, in which nothing was written, for another of that name",
          messaging.self());
    }
    formerGrids.recordLeft(current);
    Topology last = current;
    current = Topology.NONE;
    messaging.enterGrid(
        Topology.NONE.gridId(), last.gridDefinition().prefersAvailability(), List.of());
    resetGridState();
    listener.adopt(Topology.NONE);
    discovery.onGridGivenUp(last, maintenance.nanoTime());
    maintenance.checkLeft();
    messaging.wakeAll();
  }

  /** Discards what leases, votes and reports said about the last grid. */
  private void resetGridState() {
    cutOff = false;
    enteredNumber = 0;
    deferredRequests.clear();
    forks.reset();
    agreement.reset(messaging.self(), maintenance.nanoTime());
    maintenance.step(new RegisterEvent.TopologyAdopted(current));
    gracefulLeave.onGridLeft();
  }
}
