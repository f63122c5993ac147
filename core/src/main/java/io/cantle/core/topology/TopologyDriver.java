package io.cantle.core.topology;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.Ballot;
import io.cantle.core.agreement.LeaderState;
import io.cantle.core.agreement.Lease;
import io.cantle.core.agreement.LeaseMessage;
import io.cantle.core.agreement.LeaseMessage.LeaseGrant;
import io.cantle.core.agreement.LeaseMessage.LeaseRequest;
import io.cantle.core.agreement.LeaseRenewer;
import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.agreement.MemberReport;
import io.cantle.core.agreement.RegisterEvent;
import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.DiscoveryEvent;
import io.cantle.core.discovery.DiscoveryHandler;
import io.cantle.core.discovery.DiscoveryMessage;
import io.cantle.core.discovery.DiscoveryMessage.HelloMessage;
import io.cantle.core.discovery.FormerGrids;
import io.cantle.core.discovery.GracefulLeave;
import io.cantle.core.discovery.GridDiscovery;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;

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
 * go. {@link GridDiscovery} is how nodes come together in one grid. {@link ForkTransition} is how
 * members that are cut off continue, and {@link FormerGrids} records which grids this node has
 * left. {@link DiscoveryHandler} decides what follows from meeting another node. {@link
 * TopologyTransition} takes all of these from one topology to the next. {@link TopologyMaintenance}
 * does what time brings, and this class connects all parts with messages. It passes the topology to
 * a part, and the part answers what is to be done.
 *
 * <p><b>Threading:</b> any thread; nothing waits. The listener is called with the lock held, so
 * that topologies are adopted one after the other.
 */
public final class TopologyDriver {
  private final MessagingService messaging;
  private final Object lock = new Object();
  private final TopologyTransition transition;
  private final Agreement agreement;

  @GuardedBy("lock")
  private final TopologyMaintenance maintenance;

  @GuardedBy("lock")
  private final TopologyRegister register;

  private volatile boolean abandoned;

  /**
   * Creates a driver without a topology yet, or with that of an earlier incarnation.
   *
   * @param joinSettings how this node joins a grid, or founds one if there is none
   * @param listener receives each topology in turn, and what else becomes of this node
   * @param stableStore what this node has recorded in its earlier incarnations
   * @throws IllegalStateException if that cannot be read
   */
  public TopologyDriver(
      MessagingService messaging,
      Environment environment,
      JoinSettings joinSettings,
      TopologyListener listener,
      StableStore stableStore) {
    this.messaging = messaging;
    maintenance =
        new TopologyMaintenance(messaging, environment, lock, joinSettings, listener, stableStore);
    transition = maintenance.transition;
    agreement = transition.agreement;
    register = agreement.register();
  }

  /** The topology adopted last; {@link Topology#NONE} at first. */
  public Topology current() {
    return transition.current();
  }

  /** This node's right to answer. */
  public Lease lease() {
    return agreement.lease();
  }

  /** Whether this node leads the voters. */
  public boolean isLeading() {
    synchronized (lock) {
      return register.isReady();
    }
  }

  /** Whether this voter knows of a topology that is proposed but not decided. */
  public boolean hasPendingTopology() {
    return agreement.register().hasPending();
  }

  /** Whether this node wants to leave and nothing depends on it any more. */
  public boolean hasLeft() {
    return transition.gracefulLeave.isDone();
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
    agreement.lease().releaseForGood();
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
  public void runOnceAdopted(long number, Runnable task) {
    transition.runOnceAdopted(number, task);
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
    synchronized (lock) {
      return maintenance.recovery.startRecovery(
          register.record(), maintenance.view(), transition.isLapsed(), names);
    }
  }

  /** Whether a recovery that {@link #recoverVoters} began is still to be done. */
  public boolean isRecovering() {
    synchronized (lock) {
      return maintenance.recovery.isPending() || transition.isEntering();
    }
  }

  /**
   * Closes this if nothing depends on this node any more and it holds no data that is still to be
   * merged. Returns whether it is closed. Without this, a node that may leave could still give its
   * grid up for another one, and close with data to merge.
   */
  public boolean closeIfLeft() {
    synchronized (lock) {
      if (!transition.mustStay() && (hasLeft() || !current().isFounded())) {
        maintenance.close();
      }
      return maintenance.isClosed();
    }
  }

  /** Stops renewing leases, proposing and repeating requests. */
  public void close() {
    synchronized (lock) {
      maintenance.close();
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
    transition.gracefulLeave.request();
    if (!transition.mustStay()) {
      report(new MemberReport.LeaveRequested());
    }
    synchronized (lock) {
      maintenance.checkLeft();
    }
  }

  /** Reports that this node wants a cache. */
  public void reportCacheRequested(CacheDefinition definition) {
    report(new MemberReport.CacheRequested(definition, current().number()));
  }

  /** Reports that the cache with this index in that grid is to be destroyed. */
  public void reportDestroyRequested(UUID gridId, int cache) {
    report(new MemberReport.DestroyRequested(gridId, cache));
  }

  /** Reports that a caller wants to write. */
  public void reportWrite() {
    if (transition.shouldReportWrite()) {
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
    if (transition.unresponsiveMembers.recordRequest(member)) {
      report(new MemberReport.MemberUnresponsive(member.id()));
    }
  }

  /** Records that a member has done what it was asked for. */
  public void recordAnswer(Member member) {
    transition.unresponsiveMembers.recordAnswer(member);
  }

  private void report(MemberReport report) {
    for (Member voter : agreement.incarnations().addressesOf(current().membership().voters())) {
      messaging.post(voter, report);
    }
  }

  // ------------------------------------------------------------------ messages

  /** Handles a change of the transport's view of which nodes are present. */
  public void onViewChange(List<Member> present) {
    synchronized (lock) {
      maintenance.onViewChange(present);
    }
  }

  /** Handles a message about topologies. */
  public void onMessage(MessageKind kind, Member from, Input in) {
    synchronized (lock) {
      if (maintenance.isClosed() || (transition.isSilenced() && !isHeardWhenSilenced(kind))) {
        return;
      }
      transition.restore();
      long now = messaging.clock().nanoTime();
      maintenance.discoveryHandler.onHeard(from, now);
      if (kind.isAgreementMessage() && !transition.trusts(from)) {
        return;
      }
      if (kind != MessageKind.HISTORY && transition.trusts(from)) {
        agreement.onVoterHeard(current(), from, now);
      }
      switch (kind) {
        case HELLO, JOIN, HISTORY, REFUSED -> {
          DiscoveryMessage message = DiscoveryMessage.read(kind, in);
          maintenance.step(new DiscoveryEvent.DiscoveryMessageReceived(from, message));
          if (message instanceof HelloMessage) {
            maintenance.schedulePeriodicWork();
          }
        }

        case TOPOLOGY -> {
          Topology received = in.requireEndAfter(Topology.read(in));
          transition.refusals.onTopology(
              current(), transition.discovery.formerTopology(), received);
          transition.learnTopology(received);
          if (!current().members().contains(from)) {
            if (received.gridId().equals(current().gridId())
                && received.number() < current().number()) {
              // The members that the sender waits for may have left in the meantime.
              maintenance.send(from, current());
            }
            // A leaving node waits to hear that this node knows the topology. A request sent before
            // it is durable here would say that it is not known. The sender would answer that with
            // the same topology, without end.
            if (transition.isAdoptionDurable()) {
              maintenance.requestLease(List.of(from));
            }
          }
        }
        case PREPARE, PROMISED, ACCEPT, ACCEPTED, REJECTED, DECIDED ->
            onRegisterMessage(from, RegisterMessage.read(kind, in));
        case RENEW_LEASE, LEASE_RENEWED -> {
          switch (LeaseMessage.read(kind, in)) {
            case LeaseRequest request -> onLeaseRequest(from, request, now);
            case LeaseGrant grant ->
                maintenance.leaseRenewer.onGranted(from, grant).forEach(maintenance::perform);
          }
        }

        case REPORT -> onReport(from, MemberReport.read(in), now);
        case CUT_OFF -> transition.forks.onCutOff(from, in);
        case RESPONSE,
            ENTER_EPOCH,
            EPOCH_ENTERED,
            CATCH_UP,
            CAUGHT_UP,
            TRANSFER,
            READ,
            WRITE,
            BULK_READ,
            BULK_WRITE,
            REPLICATE,
            REPLICATE_COPY,
            COLLECT,
            COLLECTED,
            UPDATE_COPIES,
            COPIES_UPDATED,
            ACK,
            ACK_REQUEST,
            COMMITTED,
            COMMITTED_REQUEST,
            PULL,
            REDUCE,
            COUNT,
            CANCEL,
            HEAP,
            MERGED_REQUEST ->
            throw new IllegalArgumentException(kind + " is not about topologies");
      }
    }
  }

  @GuardedBy("lock")
  private void onRegisterMessage(Member from, RegisterMessage message) {
    if (message instanceof RegisterMessage.Prepare(Ballot _, Topology base)) {
      transition.learnTopology(base);
      if (!base.gridId().equals(current().gridId()) || !transition.trusts(from)) {
        return;
      }
    }
    maintenance.step(new RegisterEvent.MessageReceived(from, message));
    if (message instanceof RegisterMessage.Rejected) {
      maintenance.schedulePeriodicWork();
    }
  }

  private static boolean isHeardWhenSilenced(MessageKind kind) {
    return switch (kind) {
      case HELLO, REFUSED, TOPOLOGY, HISTORY -> true;
      default -> false;
    };
  }

  @GuardedBy("lock")
  private void onReport(Member from, MemberReport report, long now) {
    if (report instanceof MemberReport.LeaveRequested) {
      transition.gracefulLeave.onLeaveRequested(from);
    }
    if (register.isLeading() && agreement.leaderState().onReport(current(), from, report, now)) {
      maintenance.scheduleStep();
    }
  }

  @GuardedBy("lock")
  private void onLeaseRequest(Member from, LeaseRequest request, long now) {
    if (request.topologyNumber() < current().number()) {
      maintenance.send(from, current());
    }
    boolean isNews = maintenance.leaseRenewer.recordProgress(current(), from, request);
    if (isNews && (transition.gracefulLeave.isRequested() || register.isLeading())) {
      maintenance.checkLeft();
      maintenance.scheduleStep();
    }
    maintenance
        .leaseRenewer
        .answerRequest(current(), from, request, now)
        .forEach(maintenance::perform);
  }
}
