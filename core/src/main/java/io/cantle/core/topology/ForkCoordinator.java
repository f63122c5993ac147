package io.cantle.core.topology;

import io.cantle.core.agreement.TopologyRegister;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets members that are cut off from the majority go on, in a grid that is to stay available. They
 * tell each other that they are cut off. The first of those that hear each other founds a
 * <em>fork</em>, a grid of its own that begins with the replicas they have. In it each segment
 * begins a new epoch, with those of its owners that take part, or empty if there are none.
 *
 * <p>No member is drawn into a fork against its will: one that has heard of the majority meanwhile
 * stays.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link TopologyDriver}.
 */
final class ForkCoordinator {
  /** How long a cut-off node waits for others to report that they are cut off as well. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long such a report counts. */
  private static final long REPORT_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final System.Logger LOG = System.getLogger(ForkCoordinator.class.getName());

  private final MessagingService messaging;
  private final Environment environment;
  private final TopologyRegister register;
  private final GridDiscovery discovery;
  private final Map<Member, Long> cutOffNanos = new HashMap<>();
  private long cutSinceNanos;
  private boolean collecting;

  ForkCoordinator(
      MessagingService messaging,
      Environment environment,
      TopologyRegister register,
      GridDiscovery discovery) {
    this.messaging = messaging;
    this.environment = environment;
    this.register = register;
    this.discovery = discovery;
  }

  /** Forgets all reports: this node hears of its majority, or is in another grid. */
  void reset() {
    collecting = false;
    cutOffNanos.clear();
  }

  /**
   * Handles a node's report that it is cut off. Only a member with this node's topology can found a
   * fork together with it.
   */
  void onCutOff(Topology current, Member from, Input in) {
    UUID theirGridId = in.readId();
    long number = in.readLong();
    if (!current.isFounded() || !current.gridDefinition().prefersAvailability()) {
      return;
    }
    if (!theirGridId.equals(current.gridId())) {
      if (current.members().contains(from)) {
        register.sendTopology(from, current);
      } else {
        discovery.greet(current, from);
      }
    } else if (number < current.number()) {
      register.sendTopology(from, current);
    } else if (number == current.number() && current.members().contains(from)) {
      cutOffNanos.put(from, environment.clock().nanoTime());
    }
  }

  /**
   * Tells the other members, if this node is cut off from the majority and its grid is an available
   * one. Returns the first topology of the fork this node is to found now, or null.
   */
  @Nullable Topology forkIfCutOff(Topology current, boolean isCutOff) {
    if (!isCutOff
        || !current.gridDefinition().prefersAvailability()
        || !current.members().contains(messaging.self())) {
      reset();
      return null;
    }
    List<Member> group = collectGroup(current);
    if (group.isEmpty() || !group.getFirst().equals(messaging.self())) {
      return null;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} is cut off from the majority of its grid and goes on with {1}, to be merged when"
            + " they meet again",
        messaging.self(),
        group);
    UUID id = new UUID(environment.random().nextLong(), environment.random().nextLong());
    return ForkPlanner.firstTopology(current, group, id);
  }

  /**
   * Tells the other members and collects their reports. Returns the cut-off members once the time
   * for reports is over, and an empty list before.
   */
  private List<Member> collectGroup(Topology current) {
    long now = environment.clock().nanoTime();
    if (!collecting) {
      collecting = true;
      cutSinceNanos = now;
    }
    for (Member member : current.members()) {
      if (!member.equals(messaging.self())) {
        sendCutOff(member, current);
      }
    }
    if (now - cutSinceNanos < SETTLE_NANOS) {
      return List.of();
    }
    cutOffNanos.values().removeIf(reportedNanos -> now - reportedNanos > REPORT_VALID_NANOS);
    return current.members().stream()
        .filter(member -> member.equals(messaging.self()) || cutOffNanos.containsKey(member))
        .toList();
  }

  private void sendCutOff(Member member, Topology current) {
    Output out = messaging.newMessage(MessageKind.CUT_OFF);
    out.writeId(current.gridId());
    out.writeLong(current.number());
    messaging.post(member, out);
  }
}
