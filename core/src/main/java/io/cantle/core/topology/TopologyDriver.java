package io.cantle.core.topology;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.Ballot;
import io.cantle.core.agreement.IncarnationTable;
import io.cantle.core.agreement.LeaderState;
import io.cantle.core.agreement.Lease;
import io.cantle.core.agreement.LeaseGrant;
import io.cantle.core.agreement.LeaseRenewer;
import io.cantle.core.agreement.LeaseRequest;
import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.agreement.MemberReport;
import io.cantle.core.agreement.RegisterEvent;
import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.DiscoveryHandler;
import io.cantle.core.discovery.ForeignGridListener;
import io.cantle.core.discovery.FormerGrids;
import io.cantle.core.discovery.GracefulLeave;
import io.cantle.core.discovery.GridDiscovery;
import io.cantle.core.discovery.HelloMessage;
import io.cantle.core.discovery.JoinRefusal;
import io.cantle.core.discovery.JoinRequest;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.discovery.StoreHistoryReport;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.partition.CutOffNotice;
import io.cantle.core.partition.ForkCoordinator;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Drives this node's topology. It reports to the voters what happens here, meets other nodes, and,
 * while this node leads the voters, proposes the next topology.
 *
 * <p>The transport's view of which nodes are present is a hint. It brings up candidates and hastens
 * the exclusion of silent members; it decides nothing.
 *
 * <p><b>Parts.</b> {@link TopologyRegister} has a topology agreed upon. {@link LeaderState} and
 * {@link TopologyPlanner} find out what the next one is. {@link Lease}, {@link LeaseTable} and
 * {@link LeaseRenewer} say which member may answer, and {@link GracefulLeave} when this node may
 * go. {@link GridDiscovery} is how nodes come together in one grid. {@link ForkCoordinator} is how
 * members that are cut off continue, and {@link FormerGrids} records which grids this node has
 * left. {@link DiscoveryHandler} decides what follows from meeting another node. {@link
 * TopologyTransition} takes all of these from one topology to the next. This class connects them
 * with messages, views and ticks. It passes the topology to a part, and the part answers what is to
 * be done.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits, and the adopter is called
 * with the lock held, so that topologies are adopted one after the other.
 */
public final class TopologyDriver {
  /** How often leases are renewed and unanswered requests repeated. */
  private static final long TICK_INTERVAL_NANOS = Lease.DURATION_NANOS / 4;

  private static final long STEP_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private final MessagingService messaging;
  private final Environment environment;
  private final ReentrantLock lock = new ReentrantLock();
  private final TopologyTransition transition;
  private final StableStore stableStore;
  private final Agreement agreement;
  private final EffectPerformer effects;
  private final Lease lease;
  private final UnresponsiveMembers unresponsiveMembers;
  private final LeaseTable leaseTable;
  private final TopologyRegister register;
  private final LeaderState leaderState;
  private final DiscoveryHandler discoveryHandler;
  private final GracefulLeave gracefulLeave;
  private final LeaseRenewer leaseRenewer;
  private final IncarnationTable incarnations;
  private final VoterRecovery recovery;
  private final AtomicLong reportedWriteNumber = new AtomicLong();
  private List<Member> view = List.of();
  private boolean closed;
  private volatile boolean abandoned;
  private boolean fenced;
  private boolean tickScheduled;
  private boolean stepScheduled;

  /**
   * Creates a driver without a topology yet, or with that of an earlier incarnation.
   *
   * @param joinSettings how this node joins a grid, or founds one if there is none
   * @param adopter receives each topology in turn, and {@link Topology#NONE} when this node gives
   *     its grid up for another; must not wait
   * @param foreignGridListener is told of grids that this node cannot be part of; must not wait
   * @param stableStore what this node has recorded in its earlier incarnations
   * @throws IllegalStateException if that cannot be read
   */
  public TopologyDriver(
      MessagingService messaging,
      Environment environment,
      JoinSettings joinSettings,
      Consumer<Topology> adopter,
      ForeignGridListener foreignGridListener,
      StableStore stableStore) {
    this.messaging = messaging;
    this.environment = environment;
    this.stableStore = stableStore;
    transition =
        new TopologyTransition(
            messaging,
            environment,
            lock,
            joinSettings,
            foreignGridListener,
            adopter,
            stableStore,
            new TransitionCallbacks());
    agreement = transition.agreement;
    effects = transition.effects;
    lease = agreement.lease();
    unresponsiveMembers = transition.unresponsiveMembers;
    leaseTable = agreement.leaseTable();
    register = agreement.register();
    leaderState = agreement.leaderState();
    discoveryHandler =
        new DiscoveryHandler(
            messaging,
            environment.clock(),
            joinSettings.timeout(),
            transition,
            agreement,
            transition.discovery,
            transition.refusals,
            transition.storeHistories,
            transition.missingVoters);
    gracefulLeave = transition.gracefulLeave;
    leaseRenewer = agreement.leaseRenewer();
    incarnations = agreement.incarnations();
    recovery = new VoterRecovery(messaging, environment);
  }

  /** The topology adopted last; {@link Topology#NONE} at first. */
  public Topology current() {
    return transition.current();
  }

  /** This node's right to answer. */
  public Lease lease() {
    return lease;
  }

  /** Whether this node leads the voters; for observers outside this package. */
  public boolean isLeading() {
    lock.lock();
    try {
      return register.isReady();
    } finally {
      lock.unlock();
    }
  }

  /** Whether this voter knows of a topology that is proposed but not decided. */
  public boolean hasPendingTopology() {
    return register.hasPending();
  }

  /** Whether this node wants to leave and nothing depends on it any more. */
  public boolean hasLeft() {
    return gracefulLeave.isDone();
  }

  /**
   * Whether this node was {@linkplain #abandon abandoned}, or has found no majority for so long
   * that waiting makes no sense. The latter does not apply in a grid whose members continue when
   * they are cut off.
   */
  public boolean isCutOff() {
    return abandoned
        || (transition.isLapsed() && !current().gridDefinition().prefersAvailability());
  }

  /** Ends this node's right to answer for good: it is cut off and will not leave gracefully. */
  public void abandon() {
    abandoned = true;
    lease.release();
  }

  /** Why this node is not admitted, or which members it waits for; empty if all is well. */
  public String problemText() {
    return transition.problemText();
  }

  /**
   * Sets a condition under which this node stays although it is leaving, such as while it holds
   * data that is still to be merged. Called once, before there is a topology.
   */
  public void setStayCondition(BooleanSupplier condition) {
    transition.setStayCondition(condition);
  }

  /**
   * Records that this node takes part in a write although its topology does not know of any yet.
   */
  public void recordWrite() {
    transition.recordWrite();
  }

  /** Runs a task, which must not wait, once a topology of at least this number has been adopted. */
  public void whenAdopted(long number, Runnable task) {
    transition.whenAdopted(number, task);
  }

  /**
   * Continues without nodes that are gone for good, as soon as no lease is left. The grid then has
   * the id that is returned. Only an operator may decide this, never the node itself.
   *
   * @param names of the members that are given up
   * @throws IllegalArgumentException if a name is wrong, or too few are given
   * @throws IllegalStateException if there is nothing to recover
   */
  public UUID recoverVoters(Collection<String> names) {
    lock.lock();
    try {
      return recovery.startRecovery(register.record(), view, transition.isLapsed(), names);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a recovery that {@link #recoverVoters} began is still to be done. */
  public boolean isRecovering() {
    lock.lock();
    try {
      return recovery.isPending() || transition.isEntering();
    } finally {
      lock.unlock();
    }
  }

  private void recover() {
    if (lease.isValid()) {
      recovery.cancel();
    } else if (recovery.isPending()) {
      // A member that knows a later topology sends it in answer.
      effects.requestLease(current().members());
      Topology first = recovery.recoveredTopology(register.record());
      if (first != null) {
        transition.recover(first);
      }
    }
  }

  /**
   * Closes this if nothing depends on this node any more and it holds no data that is still to be
   * merged. Returns whether it is closed. Without this, a node that may leave could still give its
   * grid up for another one, and close with data to merge.
   */
  public boolean closeIfLeft() {
    lock.lock();
    try {
      closed |= !transition.mustStay() && (hasLeft() || !current().isFounded());
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Stops renewing leases, proposing and repeating requests. */
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------ reports

  /** Reports that this node, a joiner, holds all of a segment. */
  public void reportReceived(int cache, int segment, int epoch) {
    report(new MemberReport.SegmentReceived(new SegmentEpoch(cache, segment, epoch)));
  }

  /** Reports that this node, the primary, has opened an epoch of a segment that is unconfirmed. */
  public void reportOpened(int cache, int segment, int epoch) {
    report(new MemberReport.EpochOpened(new SegmentEpoch(cache, segment, epoch)));
  }

  /** Reports that this node has dropped the replica of a segment that it owned last. */
  public void reportDropped(int cache, int segment, int epoch) {
    report(new MemberReport.ReplicaDropped(new SegmentEpoch(cache, segment, epoch)));
  }

  /**
   * Reports that this node wants to leave, but not while it holds data that is still to be merged.
   * Otherwise it would be let go and ask to be admitted again, over and over, until some day it
   * stayed a member for long enough.
   */
  public void reportLeaving() {
    gracefulLeave.request();
    if (!transition.mustStay()) {
      report(new MemberReport.LeaveRequested());
    }
    lock.lock();
    try {
      checkLeft();
    } finally {
      lock.unlock();
    }
  }

  /** Reports that this node wants a cache. */
  public void reportCacheRequested(CacheDefinition definition) {
    report(new MemberReport.CacheRequested(definition));
  }

  /** Reports that a caller wants to write. */
  public void reportWrite() {
    long number = current().number();
    // Each of many writes would send the same report.
    if (reportedWriteNumber.getAndSet(number) != number) {
      report(new MemberReport.WriteRequested());
    }
  }

  /** Reports that rebalancing is to be suspended or resumed. */
  public void reportSuspended(boolean suspended) {
    report(new MemberReport.SuspensionRequested(suspended, current().number()));
  }

  /** Reports that the data of a segment that was lost in this epoch is given up. */
  public void reportLossAccepted(int cache, int segment, int epoch) {
    report(new MemberReport.LossAccepted(new SegmentEpoch(cache, segment, epoch)));
  }

  /**
   * Records that this node has repeated a request to a member. Every write to a segment that both
   * own waits for that member.
   */
  public void recordUnanswered(Member member) {
    if (unresponsiveMembers.recordRequest(member)) {
      report(new MemberReport.MemberUnresponsive(member.id()));
    }
  }

  /** Records that a member has done what it was asked for. */
  public void recordAnswer(Member member) {
    unresponsiveMembers.recordAnswer(member);
  }

  private void report(MemberReport report) {
    for (Member voter : incarnations.addressesOf(current().membership().voters())) {
      Output out = messaging.newMessage(voter, MessageKind.REPORT);
      report.write(out);
      messaging.post(voter, out);
    }
  }

  // ------------------------------------------------------------------ messages

  /** Handles a change of the transport's view of which nodes are present. */
  public void onViewChange(List<Member> present) {
    lock.lock();
    try {
      transition.restore();
      List<Member> before = view;
      view = List.copyOf(present);
      incarnations.updateView(view);
      transition.storeHistories.onView(view);
      discoveryHandler.onView(view);
      checkLeft();
      for (Member member : before) {
        if (!view.contains(member) && current().members().contains(member)) {
          // It can be excluded as soon as it cannot have a lease any more.
          long wait = LeaseTable.EXCLUSION_WAIT_NANOS - leaseTable.silenceNanos(member);
          environment.clock().schedule(Math.max(0, wait) + STEP_DELAY_NANOS, this::tickNow);
        }
      }
      discoveryHandler.contactVisible(view);
      scheduleTick();
    } finally {
      lock.unlock();
    }
  }

  /** Handles a message about topologies. */
  public void onMessage(MessageKind kind, Member from, Input in) {
    lock.lock();
    try {
      if (closed || (isSilenced() && !isHeardWhenSilenced(kind))) {
        return;
      }
      transition.restore();
      discoveryHandler.onHeard(from);
      if (kind.isAgreementMessage() && !transition.trusts(from)) {
        return;
      }
      if (kind != MessageKind.HISTORY && transition.trusts(from)) {
        agreement.onVoterHeard(current(), from);
      }
      switch (kind) {
        case HELLO -> {
          discoveryHandler.onHello(from, HelloMessage.read(in));
          scheduleTick();
        }
        case JOIN -> {
          if (discoveryHandler.onJoin(from, JoinRequest.read(in), view)) {
            scheduleStep();
          }
        }
        case TOPOLOGY -> {
          Topology received = Topology.read(in);
          transition.refusals.onTopology(
              current(), transition.discovery.formerTopology(), received);
          transition.learnTopology(received);
          if (!current().members().contains(from)) {
            if (received.gridId().equals(current().gridId())
                && received.number() < current().number()) {
              // The members that the sender waits for may have left in the meantime.
              effects.sendTopology(from, current());
            }
            // A leaving node waits to hear that this node knows the topology. A request sent before
            // it is durable here would say that it is not known. The sender would answer that with
            // the same topology, without end.
            if (transition.isAdoptionDurable()) {
              effects.requestLease(List.of(from));
            }
          }
        }
        case PREPARE, PROMISED, ACCEPT, ACCEPTED, REJECTED, DECIDED ->
            onRegisterMessage(from, RegisterMessage.read(kind, in));
        case RENEW_LEASE -> onLeaseRequest(from, LeaseRequest.read(in));
        case LEASE_RENEWED -> effects.perform(leaseRenewer.onGranted(from, LeaseGrant.read(in)));
        case REPORT -> onReport(from, in);
        case CUT_OFF -> transition.onCutOff(from, CutOffNotice.read(in));
        case HISTORY -> discoveryHandler.onHistory(from, StoreHistoryReport.read(in));
        case REFUSED -> onRefused(from, JoinRefusal.read(in));
        default -> throw new IllegalArgumentException(kind + " is not about topologies");
      }
    } finally {
      lock.unlock();
    }
  }

  private void onRegisterMessage(Member from, RegisterMessage message) {
    if (message instanceof RegisterMessage.Prepare(Ballot _, Topology base)) {
      transition.learnTopology(base);
      if (!base.gridId().equals(current().gridId()) || !transition.trusts(from)) {
        return;
      }
    }
    effects.step(new RegisterEvent.MessageReceived(from, message));
    if (message instanceof RegisterMessage.Rejected) {
      scheduleTick();
    }
  }

  /**
   * Handles a refusal to admit this node. If it is fenced by that, it neither votes nor answers
   * from now on.
   */
  private void onRefused(Member from, JoinRefusal refusal) {
    Topology former = transition.discovery.formerTopology();
    if (!transition.refusals.isCredible(current(), former, from, refusal)) {
      return;
    }
    if (refusal.invalidatesPromises() && !fenced) {
      fenced = true;
      lease.release();
      register.resign();
    }
    transition.refusals.onRefusal(refusal);
  }

  /**
   * Whether this node must not vote: for good, or while another process of the same node is there.
   */
  private boolean isSilenced() {
    return fenced || transition.refusals.isSameNodeRefusalFresh();
  }

  private static boolean isHeardWhenSilenced(MessageKind kind) {
    return switch (kind) {
      case HELLO, REFUSED, TOPOLOGY, HISTORY -> true;
      default -> false;
    };
  }

  private void onReport(Member from, Input in) {
    MemberReport report = MemberReport.read(in);
    if (register.isLeading() && leaderState.onReport(current(), from, report)) {
      scheduleStep();
    }
  }

  private void onLeaseRequest(Member from, LeaseRequest request) {
    if (request.topologyNumber() < current().number()) {
      effects.sendTopology(from, current());
    }
    boolean isNews = leaseRenewer.recordProgress(current(), from, request);
    if (isNews && (gracefulLeave.isRequested() || register.isLeading())) {
      checkLeft();
      scheduleStep();
    }
    effects.perform(leaseRenewer.answerRequest(current(), from, request));
  }

  // ------------------------------------------------------------------ ticking

  private void scheduleTick() {
    // A node that is alone need not check again and again, unless the proposer it obeyed is gone
    // and it is to take the lead, or it waits before it founds a grid.
    if (!tickScheduled
        && !closed
        && (hasOthers()
            || (current().isFounded() && !register.isReady())
            || transition.discovery.isFoundingDelayed(current()))) {
      tickScheduled = true;
      environment.clock().schedule(TICK_INTERVAL_NANOS, this::tick);
    }
  }

  private boolean hasOthers() {
    return view.size() > 1
        || current().members().size() > 1
        || (current().isFounded() && !current().members().contains(messaging.self()));
  }

  private void tick() {
    lock.lock();
    try {
      tickScheduled = false;
      if (!closed) {
        // This comes first: whatever fails below, this node goes on renewing its lease.
        scheduleTick();
        transition.storeHistories.saveProgress(
            stableStore.changes() + agreement.journal().recordCount());
        discoveryHandler.sendHistory(view);
        requestLeases();
        runChecks();
        messaging.sweepAbandoned();
      }
    } finally {
      lock.unlock();
    }
  }

  private void tickNow() {
    lock.lock();
    try {
      if (!closed) {
        leaseTable.recordHeard(messaging.self());
        runChecks();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Asks every voter for this node's lease. */
  private void requestLeases() {
    if (isSilenced()) {
      return;
    }
    effects.requestLease(current().membership().voters());
  }

  /** Checks which members are silent, which one leads, and which have not answered a request. */
  private void runChecks() {
    reportedWriteNumber.set(0);
    discoveryHandler.contactVisible(view);
    checkLeft();
    gracefulLeave
        .uninformedVoters(current())
        .forEach(voter -> effects.sendTopology(voter, current()));
    transition.checkCutOff();
    recover();
    if (isSilenced() || !current().membership().isVoter(messaging.self())) {
      return;
    }
    if (register.isLeading()) {
      effects.step(new RegisterEvent.ResendDue());
      informRecoveredMembers();
      proposeNext();
    } else if (transition.isReturningVoter()
        ? discoveryHandler.hasStoreBeenChecked() && leaseRenewer.shouldLeadAfterRestart(current())
        : (lease.isValid() || register.isBlocked(environment.clock().nanoTime()))
            && leaseRenewer.shouldLead(current())) {
      effects.step(new RegisterEvent.LeadRequested());
      leaderState.reset(current());
      requestLeases();
    }
  }

  /**
   * Sends the topology to members of a recovered grid that may not have heard of it and renew no
   * lease in it.
   */
  private void informRecoveredMembers() {
    if (current().gridDefinition().isRecovered()) {
      current().members().stream()
          .filter(
              member ->
                  leaderState.lastAdoptedNumber(member)
                      < current().membership().admissionNumber(member))
          .forEach(member -> effects.sendTopology(member, current()));
    }
  }

  // ------------------------------------------------------------------ what comes next

  private void checkLeft() {
    if (!transition.mustStay()
        && gracefulLeave.checkDone(current(), view, transition.isAlone(view))) {
      messaging.wakeAll();
    }
  }

  private void scheduleStep() {
    if (!stepScheduled) {
      stepScheduled = true;
      environment
          .clock()
          .schedule(
              STEP_DELAY_NANOS,
              () -> {
                lock.lock();
                try {
                  stepScheduled = false;
                  if (!closed) {
                    proposeNext();
                  }
                } finally {
                  lock.unlock();
                }
              });
    }
  }

  /** Proposes the next topology, if this node leads and there is something to change. */
  private void proposeNext() {
    if (register.isReady()) {
      Topology next = leaderState.planNext(current(), view, environment.clock().nanoTime());
      if (next.number() != current().number()) {
        effects.step(new RegisterEvent.TopologyProposed(next));
      } else if (leaderState.hasUndecided(current())) {
        effects.step(new RegisterEvent.TopologyProposed(current().withNextNumber()));
      }
    }
  }

  /** What follows when this node has adopted another topology. */
  private final class TransitionCallbacks implements TopologyTransition.TransitionListener {
    @Override
    public void checkLeft() {
      TopologyDriver.this.checkLeft();
    }

    @Override
    public void onAdopted(List<Member> formerVoters) {
      if (register.isLeading()) {
        scheduleStep();
      }
      if (transition.isAdoptionDurable()) {
        requestLeases();
        // A former voter that has left waits to hear that the next voters know that.
        effects.requestLease(formerVoters);
      }
      discoveryHandler.contactVisible(view);
      scheduleTick();
    }

    @Override
    public void onSaved() {
      requestLeases();
    }

    @Override
    public void onLeading() {
      discoveryHandler.contactVisible(view);
    }
  }
}
