package io.cantle.core.node;

import io.cantle.core.operation.ConflictResolver;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Logs what operators must know about topologies: the risk of a grid of two, members that have one
 * name, segments that have begun empty, and caches that were destroyed.
 *
 * <p><b>Threading:</b> guarded by the lock of the topology driver.
 */
final class OperatorLog {
  private static final System.Logger LOG = System.getLogger(OperatorLog.class.getName());

  /** The most hints that are remembered; one differs from the other by a member. */
  private static final int MAX_HINTS = 100;

  private final Member self;
  private final String gridName;
  private final Function<Member, String> addresses;
  private final ConflictResolver conflictResolver;

  /** The hints that were given last. */
  private final SequencedSet<String> givenHints = new LinkedHashSet<>();

  /**
   * Creates a log of no topology yet.
   *
   * @param addresses finds where a member listens; empty if that is not known
   */
  OperatorLog(
      Member self,
      String gridName,
      Function<Member, String> addresses,
      ConflictResolver conflictResolver) {
    this.self = self;
    this.gridName = gridName;
    this.addresses = addresses;
    this.conflictResolver = conflictResolver;
  }

  /** Logs what follows from a change of the topology. */
  void onAdopted(Topology previous, Topology current) {
    boolean isOneOfTwo = current.members().size() == 2 && current.members().contains(self);
    if (isOneOfTwo && previous.members().size() != 2) {
      warnOfTwoMembers(current);
    }
    if (current.members().contains(self)) {
      current.members().forEach(this::warnOfSameName);
    }
    current.destroyedSince(previous).forEach(this::reportDestroyed);
    if (current.gridDefinition().prefersAvailability() && previous.isFounded()) {
      reportEmptySegments(previous, current);
    }
  }

  /**
   * Warns about a grid of two. It cannot tell which of the two members is gone, and users must know
   * that before it happens. The same hint is not given twice, however often a member comes and
   * goes.
   */
  private void warnOfTwoMembers(Topology topology) {
    GridDefinition gridDefinition = topology.gridDefinition();
    String consequence;
    if (gridDefinition.prefersAvailability()) {
      consequence =
          "if they lose each other, each continues alone, and both are merged when they meet again"
              + " (WhenCut.available)";
    } else if (gridDefinition.partitionHandling() == PartitionHandling.OLDEST_DECIDES) {
      consequence =
          "if one is gone, %s continues alone, and the other never does (WhenCut.oldestDecides)";
    } else {
      consequence =
          "if one is gone, the other answers no requests until it is back (WhenCut.stop); to keep"
              + " the grid available, add a third member or set GridConfig.whenCut: oldestDecides,"
              + " which helps one of the two, or available, which may lose acknowledged writes";
    }
    String hint =
        "grid \"%s\" has two members: %s"
            .formatted(gridName, consequence.formatted(topology.members().getFirst()));
    logOnce(System.Logger.Level.INFO, hint);
  }

  /**
   * Warns about another node with the name of this one, which messages cannot tell apart. A member
   * at the address of this node is this node before it was started again, and soon excluded. One
   * without an address may be so too.
   */
  private void warnOfSameName(Member other) {
    if (other.equals(self) || other.isSameNode(self) || !other.name().equals(self.name())) {
      return;
    }
    String address = addresses.apply(other);
    String ownAddress = addresses.apply(self);
    if (!address.isEmpty() && !address.equals(ownAddress)) {
      logOnce(
          System.Logger.Level.WARNING,
          "grid \"%s\" has two nodes named %s: this one (%s) and one at %s; messages cannot tell"
                  .formatted(gridName, self.name(), ownAddress, address)
              + " them apart: give each node a name of its own (GridConfig.nodeName)");
    }
  }

  private void logOnce(System.Logger.Level level, String hint) {
    if (givenHints.add(hint)) {
      if (givenHints.size() > MAX_HINTS) {
        givenHints.removeFirst();
      }
      LOG.log(level, hint);
    }
  }

  private void reportDestroyed(CacheOwnership cache) {
    LOG.log(
        System.Logger.Level.INFO,
        "grid \"{0}\": cache \"{1}\" was destroyed, with all its entries",
        gridName,
        cache.definition().name());
  }

  private void reportEmptySegments(Topology previous, Topology current) {
    for (CacheOwnership cache : current.caches()) {
      CacheOwnership known = previous.caches().find(cache.index());
      List<SegmentOwnership> before = known == null ? List.of() : known.segments();
      List<SegmentOwnership> now = cache.segments();
      int empty =
          (int)
              IntStream.range(0, Math.min(before.size(), now.size()))
                  .filter(segment -> now.get(segment).birthEpoch() > before.get(segment).epoch())
                  .count();
      if (empty > 0) {
        conflictResolver.countEmptySegments(empty);
        LOG.log(
            System.Logger.Level.WARNING,
            "{0} segments of cache \"{1}\" begin empty: none of their owners is in the grid; their"
                + " entries return with the owners",
            empty,
            cache.definition().name());
      }
    }
  }
}
