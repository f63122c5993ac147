package io.cantle.core.partition;

import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * The pure function from the topology that members leave together to the first topology of their
 * fork.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
public final class ForkPlanner {
  private ForkPlanner() {}

  /**
   * The first topology of a fork.
   *
   * @param parent the topology its members leave
   * @param group its members, all of them members of the parent
   * @param id the id of the fork
   */
  public static Topology firstTopology(Topology parent, List<Member> group, UUID id) {
    List<Member> others = new ArrayList<>(parent.members());
    others.removeAll(group);
    Topology left =
        TopologyPlanner.plan(parent, new TopologyPlanner.AbsenceFacts(others, List.of()));
    // The parent may use the same epochs later, for other writes. What compares epochs has to know
    // when the fork left: LosingReplica.gridLeftEarlierBy.
    int epoch = 1 + left.highestEpoch();

    GridDefinition gridDefinition =
        parent.gridDefinition().createSuccessor(id, parent.number(), group.size(), List.of());
    long number = gridDefinition.firstNumberWithCopies();
    List<Member> leaving = parent.leaving().stream().filter(group::contains).toList();
    Membership membership =
        new Membership(
            group,
            Collections.nCopies(group.size(), number),
            group.stream().map(parent.membership()::capacityOf).toList(),
            left.membership().voters(),
            number,
            leaving,
            left.membership().released());
    return new Topology(
        number, gridDefinition, membership, left.cachesInEpoch(epoch, segment -> List.of()));
  }
}
