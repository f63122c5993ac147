package io.cantle.core.topology;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.CutOffNotice;
import io.cantle.core.partition.ForkCoordinator;
import io.cantle.core.partition.ForkCoordinator.ForkEffect;
import io.cantle.core.partition.ForkPlanner;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.UUID;

/**
 * What becomes of a node that is cut off in a grid whose members go on then: the seam of topology
 * to available mode. In a consistent grid nothing follows from any of its methods.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link TopologyDriver}.
 */
final class ForkTransition {
  private static final System.Logger LOG = System.getLogger(TopologyDriver.class.getName());

  private final MessagingService messaging;
  private final Environment environment;
  private final TopologyTransition transition;
  private final ForkCoordinator coordinator;

  ForkTransition(
      MessagingService messaging, Environment environment, TopologyTransition transition) {
    this.messaging = messaging;
    this.environment = environment;
    this.transition = transition;
    this.coordinator = new ForkCoordinator(messaging.self());
  }

  /** Forks the grid of a node that is cut off, or gives it up if it may be gone. */
  void onCheck(boolean cutOff) {
    long now = environment.clock().nanoTime();
    coordinator.onCheck(transition.current(), cutOff, now).forEach(this::perform);
    if (cutOff
        && coordinator.mayBeForgotten(
            transition.current(), transition.agreement.lease().lapsedNanos())
        && transition.wantsMembership()
        && !transition.discovery.hasMetGridWithin(ForkCoordinator.FORGOTTEN_AFTER_NANOS, now)) {
      transition.giveUpGrid();
    }
  }

  /** Handles the message of a member that it is cut off. */
  void onCutOff(Member from, Input in) {
    coordinator
        .onCutOff(transition.current(), from, CutOffNotice.read(in), environment.clock().nanoTime())
        .forEach(this::perform);
  }

  /** Continues in a fork, if the topology is of one and this node is cut off and a member of it. */
  void follow(Topology topology) {
    if (topology.gridDefinition().isForkOf(transition.current())
        && transition.isLapsed()
        && topology.members().contains(messaging.self())) {
      transition.continueIn(topology);
    }
  }

  private void perform(ForkEffect effect) {
    Topology current = transition.current();
    switch (effect) {
      case ForkEffect.ReportCutOff(Member to) ->
          messaging.post(to, new CutOffNotice(current.gridId(), current.number()));
      case ForkEffect.SendCurrentTopology(Member to) -> transition.maintenance.send(to, current);
      case ForkEffect.SendHello(Member to) ->
          transition.maintenance.perform(transition.discovery.greet(current, to));
      case ForkEffect.CreateFork(List<Member> group) -> createFork(group);
    }
  }

  /** Continues without the majority, in a grid whose members do. */
  private void createFork(List<Member> group) {
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} is cut off from the majority of its grid and goes on with {1}, to be merged when"
            + " they meet again",
        messaging.self(),
        group);
    UUID id = new UUID(environment.random().nextLong(), environment.random().nextLong());
    Topology first = ForkPlanner.firstTopology(transition.current(), group, id);
    transition.continueIn(first);
    transition.announceAndLead(first);
  }

  /** Tells people that this node gives way to another side; returns whether that is so. */
  boolean reportGivingWay(Topology last) {
    boolean isWrittenSide =
        last.gridDefinition().prefersAvailability() && last.gridDefinition().isWritten();
    if (isWrittenSide) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} leaves {1} members of its side of a partition for those that go on; what was"
              + " written here is merged",
          messaging.self(),
          last.members().size());
    }
    return isWrittenSide;
  }

  /** Forgets what cut-off members have reported: this node is in another grid, or in none. */
  void reset() {
    coordinator.reset();
  }
}
