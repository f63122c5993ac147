package io.cantle.core.topology;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.AgreementEffect;
import io.cantle.core.agreement.AgreementJournal.AgreementRecord;
import io.cantle.core.agreement.Ballot;
import io.cantle.core.agreement.Lease;
import io.cantle.core.agreement.LeaseRenewer;
import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.agreement.RegisterEvent;
import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.DiscoveryEffect;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.DiscoveryEvent;
import io.cantle.core.discovery.DiscoveryHandler;
import io.cantle.core.discovery.DiscoveryMessage;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.discovery.StoreHistory;
import io.cantle.core.discovery.StoreHistoryTable;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What this node does about its topology: what time brings, and what follows from the steps of
 * discovery, agreement and forks. As time passes it renews leases, repeats unanswered requests,
 * looks for silent members, leads if no other voter does, and then proposes what comes next.
 * Messages and changes of the view come from {@link TopologyDriver}.
 *
 * <p>Such a step returns effects. They are performed in their order: this node sends, records,
 * waits, and is taken to another topology. A message of this node to itself is a step of its own,
 * whose effects come before those that follow the message.
 *
 * <p><b>Threading:</b> {@link #nanoTime} by any thread; everything else guarded by the lock of
 * {@link TopologyDriver}.
 */
final class TopologyMaintenance {
  /** How often leases are renewed and unanswered requests repeated. */
  private static final long PERIOD_NANOS = Lease.DURATION_NANOS / 4;

  private static final System.Logger LOG = System.getLogger(TopologyDriver.class.getName());

  private static final long STEP_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  final TopologyTransition transition;
  final DiscoveryHandler discoveryHandler;
  final VoterRecovery recovery;
  final LeaseRenewer leaseRenewer;

  private final MessagingService messaging;
  private final Environment environment;
  private final Object lock;
  private final TopologyListener listener;
  private final StableStore stableStore;
  private final Agreement agreement;
  private final TopologyRegister register;
  private final TopologyEncoder encoder = new TopologyEncoder();

  private List<Member> view = List.of();
  private boolean closed;
  private boolean periodicWorkScheduled;
  private boolean stepScheduled;

  TopologyMaintenance(
      MessagingService messaging,
      Environment environment,
      Object lock,
      JoinSettings joinSettings,
      TopologyListener listener,
      StableStore stableStore) {
    this.messaging = messaging;
    this.environment = environment;
    this.lock = lock;
    this.listener = listener;
    this.stableStore = stableStore;
    transition =
        new TopologyTransition(
            messaging, environment, lock, joinSettings, listener, stableStore, this);
    agreement = transition.agreement;
    register = agreement.register();
    discoveryHandler =
        new DiscoveryHandler(
            messaging.self(),
            environment.clock().nanoTime(),
            joinSettings.timeout(),
            transition,
            agreement,
            transition.discovery,
            transition.refusals,
            transition.storeHistories,
            transition.missingVoters);
    recovery = new VoterRecovery(messaging, environment);
    leaseRenewer = new LeaseRenewer(messaging.self(), agreement);
  }

  /** The nodes that are present. */
  List<Member> view() {
    return view;
  }

  boolean isClosed() {
    return closed;
  }

  /** Stops renewing leases, proposing and repeating requests. */
  void close() {
    closed = true;
  }

  /** Handles a change of the transport's view of which nodes are present. */
  void onViewChange(List<Member> present) {
    transition.restore();
    List<Member> before = view;
    view = List.copyOf(present);
    agreement.incarnations().updateView(view);
    transition.storeHistories.onView(view);
    discoveryHandler.onView(view);
    checkLeft();
    for (Member member : before) {
      if (!view.contains(member) && transition.current().members().contains(member)) {
        // It can be excluded as soon as it cannot have a lease any more.
        long wait =
            LeaseTable.EXCLUSION_WAIT_NANOS
                - agreement.leaseTable().silenceNanos(member, nanoTime());
        schedule(Math.max(0, wait) + STEP_DELAY_NANOS, this::runChecksNow);
      }
    }
    contactVisible();
    schedulePeriodicWork();
  }

  void schedulePeriodicWork() {
    // A node that is alone need not check again and again, unless the proposer it obeyed is gone
    // and it is to take the lead, or it waits before it founds a grid.
    if (!periodicWorkScheduled
        && !closed
        && (hasOthers()
            || (transition.current().isFounded() && !register.isReady())
            || transition.discovery.isFoundingDelayed(transition.current()))) {
      periodicWorkScheduled = true;
      schedule(PERIOD_NANOS, this::runPeriodicWork);
    }
  }

  private boolean hasOthers() {
    return view.size() > 1
        || transition.current().members().size() > 1
        || (transition.current().isFounded()
            && !transition.current().members().contains(messaging.self()));
  }

  private void runPeriodicWork() {
    periodicWorkScheduled = false;
    if (!closed) {
      // This comes first: whatever fails below, this node goes on renewing its lease.
      schedulePeriodicWork();
      transition
          .storeHistories
          .saveProgress(stableStore.changeCount() + agreement.journal().recordCount())
          .forEach(this::perform);
      step(new DiscoveryEvent.HistoryDue());
      requestLeases();
      runChecks();
      messaging.sweepAbandoned();
    }
  }

  private void runChecksNow() {
    if (!closed) {
      agreement.leaseTable().recordHeard(messaging.self(), nanoTime());
      runChecks();
    }
  }

  /** Asks every voter for this node's lease. */
  void requestLeases() {
    if (!transition.isSilenced()) {
      requestLease(transition.current().membership().voters());
    }
  }

  /** Checks which members are silent, which one leads, and which have not answered a request. */
  private void runChecks() {
    transition.reportedWriteNumber.set(0);
    contactVisible();
    checkLeft();
    transition
        .gracefulLeave
        .uninformedVoters(transition.current())
        .forEach(voter -> send(voter, transition.current()));
    transition.checkCutOff();
    recover();
    if (transition.isSilenced() || !transition.current().membership().isVoter(messaging.self())) {
      return;
    }
    if (register.isLeading()) {
      step(new RegisterEvent.ResendDue());
      informRecoveredMembers();
      proposeNext();
    } else if (transition.isReturningVoter()
        ? discoveryHandler.hasStoreBeenChecked(nanoTime())
            && leaseRenewer.shouldLeadAfterRestart(transition.current(), nanoTime())
        : (agreement.lease().isValid() || register.isBlocked(nanoTime()))
            && leaseRenewer.shouldLead(transition.current(), nanoTime())) {
      step(new RegisterEvent.LeadRequested());
      agreement.leaderState().reset(transition.current(), nanoTime());
      requestLeases();
    }
  }

  /**
   * Sends the topology to members of a recovered grid that may not have heard of it and renew no
   * lease in it.
   */
  private void informRecoveredMembers() {
    Topology current = transition.current();
    if (current.gridDefinition().isRecovered()) {
      Membership membership = current.membership();
      membership.members().stream()
          .filter(
              one ->
                  agreement.leaderState().lastAdoptedNumber(one) < membership.admissionNumber(one))
          .forEach(one -> send(one, current));
    }
  }

  /** Checks whether this node may go now. */
  void checkLeft() {
    if (!transition.mustStay()
        && transition.gracefulLeave.checkDone(
            transition.current(), view, transition.isAlone(view))) {
      messaging.wakeAll();
    }
  }

  void scheduleStep() {
    if (!stepScheduled) {
      stepScheduled = true;
      schedule(
          STEP_DELAY_NANOS,
          () -> {
            stepScheduled = false;
            if (!closed) {
              proposeNext();
            }
          });
    }
  }

  /** Proposes the next topology, if this node leads and there is something to change. */
  private void proposeNext() {
    if (register.isReady()) {
      Topology current = transition.current();
      Topology next = agreement.leaderState().planNext(current, view, nanoTime());
      if (next.number() != current.number()) {
        step(new RegisterEvent.TopologyProposed(next));
      } else if (agreement.leaderState().hasUndecided(current)) {
        step(new RegisterEvent.TopologyProposed(current.withNextNumber()));
      }
    }
  }

  private void recover() {
    if (agreement.lease().isValid()) {
      recovery.cancel();
    } else if (recovery.isPending()) {
      // A member that knows a later topology sends it in answer.
      requestLease(transition.current().members());
      Topology first = recovery.recoveredTopology(register.record());
      if (first != null) {
        transition.createGrid(first);
      }
    }
  }

  /**
   * Tells the voters that this node has adopted the topology and its replicas have entered it.
   *
   * @param formerVoters the voters of the previous topology that are no longer members
   */
  void onAdopted(List<Member> formerVoters) {
    if (register.isLeading()) {
      scheduleStep();
    }
    if (transition.isAdoptionDurable()) {
      requestLeases();
      // A former voter that has left waits to hear that the next voters know that.
      requestLease(formerVoters);
    }
    contactVisible();
    schedulePeriodicWork();
  }

  /** Contacts the nodes in view: asks whether they have a grid, or tells them of this one. */
  void contactVisible() {
    step(new DiscoveryEvent.ContactDue());
  }

  // ------------------------------------------------------------------ effects

  /** Has the register take an event, and performs what follows. */
  void step(RegisterEvent event) {
    agreement.register().step(event, nanoTime()).forEach(this::perform);
  }

  /** Has discovery take an event, and performs what follows. */
  void step(DiscoveryEvent event) {
    discoveryHandler.step(event, nanoTime()).forEach(this::perform);
  }

  /** The time now; by any thread. */
  long nanoTime() {
    return environment.clock().nanoTime();
  }

  /** Asks nodes, usually the voters, for this node's lease. */
  void requestLease(List<Member> voters) {
    leaseRenewer
        .requestLease(transition.current(), voters, environment.clock().reading())
        .forEach(this::perform);
  }

  void perform(AgreementEffect effect) {
    switch (effect) {
      case AgreementEffect.Send(List<Member> to, Message message) ->
          to.forEach(member -> send(member, message));
      case AgreementEffect.SendTopology(List<Member> to, Topology topology) ->
          to.forEach(member -> send(member, topology));
      case AgreementEffect.SendAnswer(
              AgreementRecord record,
              Member to,
              RegisterMessage message) -> {
        // It names the grid that this node is in now, not the one when the record is on disk.
        Output out = messaging.encode(to, message);
        agreement.journal().save(record, () -> messaging.postAsync(to, out));
      }
      case AgreementEffect.SaveAdopted(AgreementRecord record) ->
          agreement.journal().save(record, this::onAdoptionSaved);
      case AgreementEffect.DelayEvent(long waitNanos, RegisterEvent.DelayEnded end) ->
          schedule(waitNanos, () -> step(end));
      case AgreementEffect.RenounceLease() -> agreement.lease().renounce();
      case AgreementEffect.LimitLease() -> agreement.lease().limitDuration();
      case AgreementEffect.ReportMissedTime(Member voter, long missedNanos) ->
          LOG.log(
              System.Logger.Level.WARNING,
              "{0} has missed {1} ms that passed at {2}: its clocks stood still or are far too"
                  + " slow; it answers nothing until its lease is renewed",
              messaging.self(),
              TimeUnit.NANOSECONDS.toMillis(missedNanos),
              voter);
      case AgreementEffect.Decide(Topology topology) -> transition.learnTopology(topology);
      case AgreementEffect.BecomeReady() -> {
        agreement.leaderState().reset(transition.current(), nanoTime());
        contactVisible();
        // Whatever voters accepted from an earlier leader and was never decided ends with the next
        // topology.
        step(new RegisterEvent.TopologyProposed(transition.current().withNextNumber()));
      }
    }
  }

  void perform(DiscoveryEffect effect) {
    switch (effect) {
      case DiscoveryEffect.SendDiscoveryMessage(Member to, DiscoveryMessage message) ->
          messaging.post(to, message);
      case DiscoveryEffect.ShowTopology(Member to) -> {
        if (transition.current().isFounded()) {
          send(to, transition.current());
        }
      }
      case DiscoveryEffect.CreateGrid(List<Member> founders) ->
          transition.createGrid(
              transition.discovery.createGrid(
                  founders, environment.random(), environment.clock().wallMillis()));
      case DiscoveryEffect.EndGrid() -> transition.endGrid();
      case DiscoveryEffect.GiveUpGrid() -> transition.giveUpGrid();
      case DiscoveryEffect.TakeEvent(DiscoveryEvent event) -> step(event);
      case DiscoveryEffect.ScheduleProposal() -> scheduleStep();
      case DiscoveryEffect.Fence() -> {
        agreement.lease().releaseForGood();
        agreement.register().resign();
      }
      case DiscoveryEffect.SaveHistory(StoreHistory history) -> {
        Output out = new Output(64);
        history.write(out);
        stableStore.save(
            StoreHistoryTable.HISTORY_RECORD_NAME,
            out.toByteArray(),
            () ->
                environment
                    .threads()
                    .execute(
                        () -> runLocked(() -> transition.storeHistories.onHistorySaved(history))));
      }
      case DiscoveryEffect.SaveOthers(Output record) ->
          stableStore.save(StoreHistoryTable.OTHERS_RECORD_NAME, record.toByteArray(), () -> {});
      case ForeignGridReport report -> listener.onForeignGrid(report);
      case DiscoveryEffect.ReportText(System.Logger.Level level, String text) ->
          LOG.log(level, text);
    }
  }

  /** Runs a task after a time, with the lock held. */
  void schedule(long waitNanos, Runnable task) {
    environment.clock().schedule(waitNanos, () -> runLocked(task));
  }

  private void runLocked(Runnable task) {
    synchronized (lock) {
      task.run();
    }
  }

  private void onAdoptionSaved() {
    if (agreement.journal().isDurable()) {
      // The next incarnation of this node will know the topology that this one has adopted.
      requestLeases();
    }
  }

  /** Records the first topology of a grid before this node is in that grid. */
  void saveFirst(Topology first, Runnable onSaved) {
    Ballot promised = agreement.register().record().promisedBallot();
    agreement.journal().save(new AgreementRecord(promised, Ballot.NONE, null, first), onSaved);
  }

  /** Sends a message, such as a decided topology. */
  void send(Member member, Message message) {
    Output out = messaging.newMessage(member, message.kind());
    encoder.write(message, out);
    messaging.postAsync(member, out);
  }
}
