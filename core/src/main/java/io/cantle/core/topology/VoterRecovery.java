package io.cantle.core.topology;

import io.cantle.core.agreement.AgreementJournal.AgreementRecord;
import io.cantle.core.agreement.LeaseTable;
import io.cantle.core.base.Environment;
import io.cantle.core.ownership.GridRecovery;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An operator's statement that voters are gone for good, from the moment it is made until this node
 * continues without them ({@link GridRecovery}).
 *
 * <p>The statement says that they are dead now. Members that are alive but not visible may hold
 * leases that the dead voters granted. So this node waits, from now on, as long as any lease can
 * last. Visible members may know a later topology, so this node asks them in the meantime.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link TopologyDriver}.
 */
final class VoterRecovery {
  private static final System.Logger LOG = System.getLogger(TopologyDriver.class.getName());

  private final MessagingService messaging;
  private final Environment environment;
  private @Nullable RecoveryRequest request;

  /** The last request of an operator, and the id that the grid is to have after it. */
  private record RecoveryRequest(Set<UUID> lost, long sinceNanos, UUID grid) {}

  VoterRecovery(MessagingService messaging, Environment environment) {
    this.messaging = messaging;
    this.environment = environment;
  }

  /**
   * Begins a recovery in which an operator gives up nodes, by name.
   *
   * @return the id of the grid that is to continue without them
   * @throws IllegalArgumentException if a name is wrong, or too few are given
   * @throws IllegalStateException if there is nothing to recover
   */
  UUID startRecovery(
      AgreementRecord record, List<Member> view, boolean isCutOff, Collection<String> names) {
    Topology current = record.currentTopology();
    if (current.gridDefinition().prefersAvailability()) {
      throw new IllegalStateException(
          "the grid has WhenCut.available: its members go on by themselves when they are cut off");
    }
    if (!isCutOff) {
      throw new IllegalStateException(
          ("this node hears a majority of %s, which decide, or did so less than 3 s ago: there is"
                  + " nothing to recover")
              .formatted(GridRecovery.joinNames(current.membership().voters())));
    }
    Set<UUID> lost =
        GridRecovery.resolveLost(record.lastTopologies(), messaging.self().nodeId(), names);
    for (Member member : view) {
      if (lost.contains(member.nodeId())) {
        throw new IllegalStateException(
            member
                + (member.equals(messaging.self())
                    ? " is this node. Name only nodes that are gone."
                    : " is still in view. End its process and try again after a few seconds."));
      }
    }
    UUID grid = new UUID(environment.random().nextLong(), environment.random().nextLong());
    request = new RecoveryRequest(lost, environment.clock().nanoTime(), grid);
    return grid;
  }

  /** Whether a recovery is still to be done. */
  boolean isPending() {
    return request != null;
  }

  /** Cancels the recovery, because there is a majority after all: the operator was wrong. */
  void cancel() {
    request = null;
  }

  /**
   * Returns the first topology of the grid that continues, once no lease is left; null until then.
   */
  @Nullable Topology recoveredTopology(AgreementRecord record) {
    RecoveryRequest pending = request;
    if (pending == null
        || environment.clock().nanoTime() - pending.sinceNanos < LeaseTable.EXCLUSION_WAIT_NANOS) {
      return null;
    }
    request = null;
    Topology parent = record.lastTopologies().getLast();
    Topology first = GridRecovery.recoverGrid(parent, pending.lost, messaging.self(), pending.grid);
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} goes on with grid {1} as {2}, without the nodes an operator gave up ({3}): what only"
            + " they hold or decided is lost, and they may come back as new nodes only; {4}",
        messaging.self(),
        parent.gridId(),
        first.gridId(),
        GridRecovery.joinNames(
            GridRecovery.relevantMembers(parent).stream()
                .filter(member -> pending.lost.contains(member.nodeId()))
                .toList()),
        GridRecovery.describeLoss(first));
    return first;
  }
}
