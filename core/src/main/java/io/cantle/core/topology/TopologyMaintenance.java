package io.cantle.core.topology;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.LeaderState;
import io.cantle.core.agreement.Lease;
import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.agreement.RegisterEvent;
import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.base.Environment;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.DiscoveryEvent;
import io.cantle.core.discovery.DiscoveryHandler;
import io.cantle.core.discovery.GracefulLeave;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * What this node does about its topology as time passes. It renews leases, repeats unanswered
 * requests, looks for silent members, leads if no other voter does, and then proposes what comes
 * next. Messages and changes of the view come from {@link TopologyDriver}.
 *
 * <p><b>Threading:</b> {@link #shouldReportWrite} by any thread; everything else guarded by the
 * lock of {@link TopologyDriver}.
 */
final class TopologyMaintenance {
  /** How often leases are renewed and unanswered requests repeated. */
  private static final long PERIOD_NANOS = Lease.DURATION_NANOS / 4;

  private static final long STEP_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  final TopologyTransition transition;
  final DiscoveryHandler discoveryHandler;
  final VoterRecovery recovery;

  private final MessagingService messaging;

  private final StableStore stableStore;
  private final Agreement agreement;
  private final EffectPerformer effects;
  private final Lease lease;

  private final TopologyRegister register;
  private final LeaderState leaderState;
  private final GracefulLeave gracefulLeave;
  private final AtomicLong reportedWriteNumber = new AtomicLong();
  private List<Member> view = List.of();
  private boolean closed;
  private boolean periodicWorkScheduled;
  private boolean stepScheduled;

  TopologyMaintenance(
      MessagingService messaging,
      Environment environment,
      ReentrantLock lock,
      JoinSettings joinSettings,
      Consumer<Topology> adopter,
      Consumer<ForeignGridReport> foreignGridListener,
      StableStore stableStore) {
    this.messaging = messaging;

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
            this);
    agreement = transition.agreement;
    effects = transition.effects;
    lease = agreement.lease();

    register = agreement.register();
    leaderState = agreement.leaderState();
    gracefulLeave = transition.gracefulLeave;
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

  /**
   * Whether to report now that a caller wants to write; by any thread. Each of many writes would
   * send the same report.
   */
  boolean shouldReportWrite() {
    long number = transition.current().number();
    return reportedWriteNumber.getAndSet(number) != number;
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
                - agreement.leaseTable().silenceNanos(member, effects.nanoTime());
        effects.schedule(Math.max(0, wait) + STEP_DELAY_NANOS, this::runChecksNow);
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
      effects.schedule(PERIOD_NANOS, this::runPeriodicWork);
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
          .forEach(effects::perform);
      effects.step(new DiscoveryEvent.HistoryDue());
      requestLeases();
      runChecks();
      messaging.sweepAbandoned();
    }
  }

  private void runChecksNow() {
    if (!closed) {
      agreement.leaseTable().recordHeard(messaging.self(), effects.nanoTime());
      runChecks();
    }
  }

  /** Asks every voter for this node's lease. */
  void requestLeases() {
    if (!transition.isSilenced()) {
      effects.requestLease(transition.current().membership().voters());
    }
  }

  /** Checks which members are silent, which one leads, and which have not answered a request. */
  private void runChecks() {
    reportedWriteNumber.set(0);
    contactVisible();
    checkLeft();
    gracefulLeave
        .uninformedVoters(transition.current())
        .forEach(voter -> effects.sendTopology(voter, transition.current()));
    transition.checkCutOff();
    recover();
    if (transition.isSilenced() || !transition.current().membership().isVoter(messaging.self())) {
      return;
    }
    if (register.isLeading()) {
      effects.step(new RegisterEvent.ResendDue());
      informRecoveredMembers();
      proposeNext();
    } else if (transition.isReturningVoter()
        ? discoveryHandler.hasStoreBeenChecked(effects.nanoTime())
            && agreement
                .leaseRenewer()
                .shouldLeadAfterRestart(transition.current(), effects.nanoTime())
        : (lease.isValid() || register.isBlocked(effects.nanoTime()))
            && agreement.leaseRenewer().shouldLead(transition.current(), effects.nanoTime())) {
      effects.step(new RegisterEvent.LeadRequested());
      leaderState.reset(transition.current(), effects.nanoTime());
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
          .filter(one -> leaderState.lastAdoptedNumber(one) < membership.admissionNumber(one))
          .forEach(one -> effects.sendTopology(one, current));
    }
  }

  /** Checks whether this node may go now. */
  void checkLeft() {
    if (!transition.mustStay()
        && gracefulLeave.checkDone(transition.current(), view, transition.isAlone(view))) {
      messaging.wakeAll();
    }
  }

  void scheduleStep() {
    if (!stepScheduled) {
      stepScheduled = true;
      effects.schedule(
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
      Topology next = leaderState.planNext(current, view, effects.nanoTime());
      if (next.number() != current.number()) {
        effects.step(new RegisterEvent.TopologyProposed(next));
      } else if (leaderState.hasUndecided(current)) {
        effects.step(new RegisterEvent.TopologyProposed(current.withNextNumber()));
      }
    }
  }

  private void recover() {
    if (lease.isValid()) {
      recovery.cancel();
    } else if (recovery.isPending()) {
      // A member that knows a later topology sends it in answer.
      effects.requestLease(transition.current().members());
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
      effects.requestLease(formerVoters);
    }
    contactVisible();
    schedulePeriodicWork();
  }

  /** Contacts the nodes in view: asks whether they have a grid, or tells them of this one. */
  void contactVisible() {
    effects.step(new DiscoveryEvent.ContactDue());
  }
}
