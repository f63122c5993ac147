package io.cantle.core.topology;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.agreement.AgreementEffect;
import io.cantle.core.agreement.AgreementJournal.AgreementRecord;
import io.cantle.core.agreement.Ballot;
import io.cantle.core.agreement.RegisterEvent;
import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.agreement.TopologyNotice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.DiscoveryEffect;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.DiscoveryEvent;
import io.cantle.core.discovery.DiscoveryMessage;
import io.cantle.core.discovery.StoreHistory;
import io.cantle.core.discovery.StoreHistoryTable;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.CutOffNotice;
import io.cantle.core.partition.ForkCoordinator.ForkEffect;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Performs what the steps of the rooms return: sends, records, waits, and takes the node to another
 * topology. The effects of a step are performed in their order. A message of this node to itself is
 * a step of its own, whose effects come before those that follow the message.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link TopologyDriver}, which the caller holds.
 */
final class EffectPerformer {
  private static final System.Logger LOG = System.getLogger(EffectPerformer.class.getName());

  private final MessagingService messaging;
  private final Environment environment;
  private final ReentrantLock lock;
  private final StableStore stableStore;
  private final Consumer<ForeignGridReport> foreignGridListener;
  private final Agreement agreement;
  private final TopologyTransition transition;
  private final TopologyMaintenance maintenance;

  private @Nullable Topology encodedFor;
  private int encodedVersion;
  private byte[] encodedTopology = new byte[0];

  EffectPerformer(
      MessagingService messaging,
      Environment environment,
      ReentrantLock lock,
      StableStore stableStore,
      Consumer<ForeignGridReport> foreignGridListener,
      Agreement agreement,
      TopologyTransition transition,
      TopologyMaintenance maintenance) {
    this.messaging = messaging;
    this.environment = environment;
    this.lock = lock;
    this.stableStore = stableStore;
    this.foreignGridListener = foreignGridListener;
    this.agreement = agreement;
    this.transition = transition;
    this.maintenance = maintenance;
  }

  /** Has the register take an event, and performs what follows. */
  void step(RegisterEvent event) {
    agreement.register().step(event, nanoTime()).forEach(this::perform);
  }

  /** Has discovery take an event, and performs what follows. */
  void step(DiscoveryEvent event) {
    maintenance.discoveryHandler.step(event, nanoTime()).forEach(this::perform);
  }

  /** The time now; by any thread. */
  long nanoTime() {
    return environment.clock().nanoTime();
  }

  /** Asks nodes, usually the voters, for this node's lease. */
  void requestLease(List<Member> voters) {
    agreement
        .leaseRenewer()
        .requestLease(transition.current(), voters, environment.clock().reading())
        .forEach(this::perform);
  }

  void perform(AgreementEffect effect) {
    switch (effect) {
      case AgreementEffect.Send(List<Member> to, Message message) ->
          to.forEach(member -> messaging.postAsync(member, message));
      case AgreementEffect.SendTopology(List<Member> to, Topology topology) ->
          to.forEach(member -> sendTopology(member, topology));
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
        maintenance.contactVisible();
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
          sendTopology(to, transition.current());
        }
      }
      case DiscoveryEffect.CreateGrid(List<Member> founders) ->
          transition.createGrid(
              transition.discovery.createGrid(
                  founders, environment.random(), environment.clock().wallMillis()));
      case DiscoveryEffect.EndGrid() -> transition.endGrid();
      case DiscoveryEffect.GiveUpGrid() -> transition.giveUpGrid();
      case DiscoveryEffect.TakeEvent(DiscoveryEvent event) -> step(event);
      case DiscoveryEffect.ScheduleProposal() -> maintenance.scheduleStep();
      case DiscoveryEffect.Fence() -> {
        agreement.lease().release();
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
      case ForeignGridReport report -> foreignGridListener.accept(report);
      case DiscoveryEffect.ReportText(System.Logger.Level level, String text) ->
          LOG.log(level, text);
    }
  }

  void perform(ForkEffect effect) {
    Topology current = transition.current();
    switch (effect) {
      case ForkEffect.ReportCutOff(Member to) ->
          messaging.post(to, new CutOffNotice(current.gridId(), current.number()));
      case ForkEffect.SendCurrentTopology(Member to) -> sendTopology(to, current);
      case ForkEffect.SendHello(Member to) -> perform(transition.discovery.greet(current, to));
      case ForkEffect.CreateFork(List<Member> group) -> transition.forks.createFork(group);
    }
  }

  /** Runs a task after a time, with the lock held. */
  void schedule(long waitNanos, Runnable task) {
    environment.clock().schedule(waitNanos, () -> runLocked(task));
  }

  private void runLocked(Runnable task) {
    lock.lock();
    try {
      task.run();
    } finally {
      lock.unlock();
    }
  }

  private void onAdoptionSaved() {
    if (agreement.journal().isDurable()) {
      // The next incarnation of this node will know the topology that this one has adopted.
      maintenance.requestLeases();
    }
  }

  /** Records the first topology of a grid before this node is in that grid. */
  void saveFirst(Topology first, Runnable onSaved) {
    Ballot promised = agreement.register().record().promisedBallot();
    agreement.journal().save(new AgreementRecord(promised, Ballot.NONE, null, first), onSaved);
  }

  /**
   * Sends a decided topology. It goes to all members and may name many members and segments, so it
   * is encoded once.
   */
  @SuppressWarnings("ReferenceEquality") // Comparing two would take as long as encoding one.
  void sendTopology(Member member, Topology topology) {
    Output out = messaging.newMessage(member, MessageKind.TOPOLOGY);
    if (topology != encodedFor || out.version() != encodedVersion) {
      Output encoded = new Output(1_024, out.version());
      new TopologyNotice(topology).write(encoded);
      encodedTopology = encoded.toByteArray();
      encodedFor = topology;
      encodedVersion = out.version();
    }
    out.write(encodedTopology);
    messaging.postAsync(member, out);
  }
}
