package io.cantle.core.discovery;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.discovery.DiscoveryMessage.HelloMessage;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.discovery.DiscoveryMessage.JoinRequest;
import io.cantle.core.discovery.DiscoveryMessage.StoreHistoryReport;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Acts on what meeting another node leads to. The other node is admitted; or this node joins it,
 * founds a grid with it, or gives its own grid up for the other's. {@link GridDiscovery} decides
 * what nodes tell each other, and {@link GridMembership} says what this node's grid is.
 *
 * <p>It is a step machine: {@link #step} takes an event and returns what is to be done.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class DiscoveryHandler {
  /** How often the same history is sent, because one message may be lost. */
  private static final int SEND_COUNT = 2;

  /** The longest time for which the only voter looks for the other members after a restart. */
  private static final long MAX_SEARCH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Member self;
  private final long startedNanos;
  private final long searchNanos;
  private final GridMembership membership;
  private final Agreement agreement;
  private final TopologyRegister register;

  private final GridDiscovery discovery;

  private final JoinRefusalTracker refusals;
  private final StoreHistoryTable storeHistories;
  private final MissingVoters missingVoters;
  private final DuplicateProcessDetector duplicates;

  /** The history sent to the others last. */
  private StoreHistory lastSentHistory = StoreHistory.NONE;

  private int timesSent;

  /**
   * How many times in a row it was sent with all members in view, while this node is no member yet.
   */
  private int timesSentToAll;

  /** The nodes in view. */
  private List<Member> view = List.of();

  /** What is to be done after the present step. */
  private List<DiscoveryEffect> effects = new ArrayList<>();

  /**
   * Creates the handler.
   *
   * @param timeout how long this node waits to be admitted
   */
  public DiscoveryHandler(
      Member self,
      long now,
      Duration timeout,
      GridMembership membership,
      Agreement agreement,
      GridDiscovery discovery,
      JoinRefusalTracker refusals,
      StoreHistoryTable storeHistories,
      MissingVoters missingVoters) {
    this.self = self;
    this.startedNanos = now;
    // A caller that waits for this node must see it go on before the call times out.
    this.searchNanos = Math.min(MAX_SEARCH_NANOS, timeout.toNanos() / 2);
    this.membership = membership;
    this.agreement = agreement;
    this.register = agreement.register();
    this.discovery = discovery;
    this.refusals = refusals;
    this.storeHistories = storeHistories;
    this.missingVoters = missingVoters;
    this.duplicates = new DuplicateProcessDetector(self);
  }

  private Topology current() {
    return membership.current();
  }

  /** Takes an event, and returns what is to be done, in that order. */
  public List<DiscoveryEffect> step(DiscoveryEvent event, long now) {
    effects = new ArrayList<>();
    switch (event) {
      case DiscoveryEvent.DiscoveryMessageReceived(Member from, DiscoveryMessage message) ->
          onMessage(from, message, now);
      case DiscoveryEvent.ContactDue() -> contactVisible(now);
      case DiscoveryEvent.HistoryDue() -> sendHistory();
    }
    return effects;
  }

  private void onMessage(Member from, DiscoveryMessage message, long now) {
    switch (message) {
      case HelloMessage hello -> onHello(from, hello, now);
      case JoinRequest(UUID gridId, MemberCapacity capacity, PartitionHandling mode) ->
          onJoin(from, gridId, capacity, mode, now);
      case StoreHistoryReport report -> onHistory(from, report, now);
      case JoinRefusal refusal ->
          effects.addAll(
              refusals.onRefusal(current(), discovery.formerTopology(), from, refusal, now));
    }
  }

  /** Records that a node has sent a message of any kind. */
  public void onHeard(Member from, long now) {
    if (current().members().contains(from)) {
      duplicates.onHeard(from, now);
    }
  }

  /** Takes the nodes that are in view. */
  public void onView(List<Member> present) {
    view = present;
    duplicates.onView(current(), present);
  }

  /** Handles a node's message that says which grid it belongs to. */
  private void onHello(Member from, HelloMessage hello, long now) {
    boolean another = discovery.isOtherGrid(current(), hello);
    boolean related = current().gridDefinition().isRelatedTo(hello.gridId(), hello.lineage());
    if (another && !related && membership.holdsNothing()) {
      effects.add(new DiscoveryEffect.GiveUpGrid());
      // As a node without a grid.
      effects.add(
          new DiscoveryEffect.TakeEvent(new DiscoveryEvent.DiscoveryMessageReceived(from, hello)));
      return;
    }
    if (another && current().gridDefinition().continues(hello.gridId())) {
      answerFormerMember(from);
      return;
    }
    if (another && hello.lineage().recoveryOf(current().gridId()) != null) {
      // This node's grid goes on there. The other node answers with a topology, or a refusal if
      // this node was given up.
      effects.add(discovery.requestAdmission(from, current().gridId()));
      return;
    }
    if (!membership.wantsMembership()) {
      // It holds nothing, and the nodes that need to know that it leaves are in another grid.
      if (another && related && hello.isAlive() && membership.isLapsed()) {
        effects.add(new DiscoveryEffect.GiveUpGrid());
      }
      return;
    }
    effects.addAll(discovery.onHello(current(), from, hello, membership.isLapsed(), now));
  }

  /** Handles a request to be admitted. */
  private void onJoin(
      Member from, UUID theirGridId, MemberCapacity capacity, PartitionHandling mode, long now) {
    boolean fresh = theirGridId.equals(Topology.NONE.gridId());
    if (fresh && (!current().isFounded() || current().membership().isVoter(from))) {
      discovery.recordGridless(from, capacity, mode, now);
    }
    if (!fresh && !theirGridId.equals(current().gridId())) {
      // The sender asks the former voters of its grid, which are in another grid by now.
      if (current().gridDefinition().prefersAvailability()) {
        effects.add(discovery.greet(current(), from));
      } else if (current().gridDefinition().continues(theirGridId)) {
        answerFormerMember(from);
      }
    } else if (!current().isFounded()) {
      if (fresh) {
        foundIfReady(now);
      }
    } else if (mode != current().gridDefinition().partitionHandling()) {
      // All members must agree on whether acknowledged writes may be lost.
      if (register.isLeading()) {
        effects.add(discovery.greet(current(), from));
      }
    } else if (fresh && isForgotten(now)) {
      effects.add(new DiscoveryEffect.GiveUpGrid());
    } else if (fresh
        && membership.holdsNothing()
        && (current().membership().isVoter(from) || lacksVoterMajority())) {
      effects.add(new DiscoveryEffect.GiveUpGrid());
    } else if (current().members().contains(from)) {
      showTopology(from);
    } else if (register.isLeading()) {
      if (current().leaving().containsAll(current().members())) {
        // If the sender wants to leave too, no other node will tell it that it need not wait.
        showTopology(from);
      }
      if (from.equals(self) || !refuseDuplicate(from, now)) {
        String noRoom =
            agreement.leaderState().onJoinRequest(current(), from, fresh, capacity, now);
        if (noRoom != null) {
          effects.add(
              new DiscoveryEffect.ReportText(
                  System.Logger.Level.ERROR,
                  "node %s is not admitted: %s".formatted(from, noRoom)));
        }
        effects.add(new DiscoveryEffect.ScheduleProposal());
      }
    } else if (fresh && membership.isLapsed() && current().gridDefinition().isWritten()) {
      effects.add(refusals.refuseCutOff(current(), from, missingVoters.text()));
    }
  }

  /** Refuses an incarnation if another one of its node runs and is a member; returns whether so. */
  private boolean refuseDuplicate(Member from, long now) {
    Member other = duplicates.findRunningDuplicate(current(), from, now);
    if (other != null) {
      showTopology(from);
      effects.add(refusals.refuseSameNode(current(), from, other));
    }
    return other != null;
  }

  /** Handles a node's message that shows how far its store has come. */
  private void onHistory(Member from, StoreHistoryReport report, long now) {
    StoreHistory history = report.history();
    if (current().members().contains(from)) {
      history
          .incarnations()
          .forEach(incarnation -> storeHistories.onMemberProgress(from, incarnation));
      return;
    }
    if (!report.isWhole()) {
      // The sender does not know yet that it was excluded, and shows its present incarnation only.
      // That earlier ones are missing says nothing.
      return;
    }
    if (!refuseDuplicate(from, now) && !storeHistories.acceptReturningMember(from, history)) {
      boolean isFinal =
          register.isLeading()
              && agreement.lease().isHeld()
              && agreement.leaderState().othersHold(current(), from, now);
      showTopology(from);
      effects.add(refusals.refuseOutdated(current(), from, isFinal));
      if (isFinal) {
        agreement.leaderState().recordDiscarded(from);
      }
    }
  }

  /**
   * Shows how far this node's store has come. Until this node is a member, it shows its whole
   * history to all nodes in view. After that a voter shows its progress to all members, and another
   * member to the voters.
   */
  private void sendHistory() {
    StoreHistory history = storeHistories.durableHistory();
    if (history.incarnations().isEmpty()) {
      return;
    }
    boolean isMember = current().members().contains(self);
    if (!isMember) {
      lastSentHistory = StoreHistory.NONE;
      boolean toAll =
          current().members().stream()
              .allMatch(member -> view.stream().anyMatch(member::isSameNode));
      timesSentToAll = toAll ? timesSentToAll + 1 : 0;
      view.forEach(member -> sendHistoryTo(member, history, true));
      return;
    }
    if (!lastSentHistory.equals(history.currentOnly())) {
      lastSentHistory = history.currentOnly();
      timesSent = 0;
    }
    if (timesSent < SEND_COUNT) {
      timesSent++;
      Membership members = current().membership();
      (members.isVoter(self) ? members.members() : members.voters())
          .forEach(member -> sendHistoryTo(member, lastSentHistory, false));
    }
  }

  /**
   * Whether nodes that may know this node's store to be an old copy have had time to say so. Where
   * there are other voters, they ignore an old copy; the only voter has to ask.
   */
  public boolean hasStoreBeenChecked(long now) {
    boolean decidesAlone = current().membership().voters().size() == 1;
    boolean hasOthers = !current().members().stream().allMatch(self::isSameNode);
    return !decidesAlone
        || !hasOthers
        || timesSentToAll > SEND_COUNT
        || now - startedNanos >= searchNanos;
  }

  private void sendHistoryTo(Member member, StoreHistory history, boolean isWhole) {
    if (!member.equals(self)) {
      effects.add(
          new DiscoveryEffect.SendDiscoveryMessage(
              member, new StoreHistoryReport(isWhole, history)));
    }
  }

  private void showTopology(Member to) {
    effects.add(new DiscoveryEffect.ShowTopology(to));
  }

  /** Answers a node of a grid that this one continues after one or more recoveries. */
  private void answerFormerMember(Member from) {
    showTopology(from);
    effects.addAll(refusals.refuseIfGivenUp(current(), from));
  }

  /**
   * Whether this node's grid can never be used: nothing was written in it, and the voters that
   * still know it are no majority. Time would show no more. A restarted node whose start ends
   * before it counts as cut off would keep the grid from one incarnation to the next, and would
   * keep the others from founding one.
   */
  private boolean isForgotten(long now) {
    return membership.knowsOfNoWrite()
        && !agreement.lease().isValid()
        && discovery.isForgotten(current(), now);
  }

  /**
   * Whether too few voters are in view to decide anything, and this node has had no majority for
   * long. A view is a hint: if the other voters are there after all, they lose a vote by this.
   */
  private boolean lacksVoterMajority() {
    return !current().membership().isMajority(voter -> view.stream().anyMatch(voter::isSameNode))
        && membership.isLongLapsed();
  }

  private void foundIfReady(long now) {
    List<Member> founders =
        membership.isEntering() ? List.of() : discovery.chooseFounders(current(), view, now);
    if (!founders.isEmpty()) {
      effects.add(new DiscoveryEffect.CreateGrid(founders));
    }
  }

  /** Contacts the nodes in view: asks whether they have a grid, or tells them of this one. */
  private void contactVisible(long now) {
    if (!current().isFounded()) {
      if (membership.wantsMembership() && !view.isEmpty()) {
        effects.addAll(discovery.askForGrid(view, now));
        foundIfReady(now);
      }
    } else if (membership.isLapsed()) {
      effects.addAll(discovery.probeVoters(current()));
      if (self.hasStore()) {
        // After all nodes have stopped, perhaps no node is a member in its present incarnation.
        requestAdmission();
      }
    } else if (register.isLeading()) {
      effects.addAll(discovery.greet(current(), view));
    } else {
      requestAdmission();
    }
  }

  /** Asks the voters to admit this node, if it is to be a member and is none. */
  private void requestAdmission() {
    if (membership.wantsMembership() && !current().members().contains(self)) {
      agreement
          .incarnations()
          .addressesOf(current().membership().voters())
          .forEach(voter -> effects.add(discovery.requestAdmission(voter, current().gridId())));
    }
  }
}
