package io.cantle.simulation.walk;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.simulation.walk.SegmentCopy.Part;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A model of the replicas: what nodes do with their copies when they learn of a topology. It is
 * written independently of the core.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class CopyModel {
  private final CacheLayout layout;
  private final List<WalkNode> nodes;

  /** The writes whose last holder died; losing them is nobody's fault. */
  final BitSet gone = new BitSet();

  /**
   * @param nodes every incarnation there ever was
   */
  CopyModel(CacheLayout layout, List<WalkNode> nodes) {
    this.layout = layout;
    this.nodes = nodes;
  }

  /** Makes a node adopt a topology of its grid. */
  void adopt(WalkNode node, WalkGrid grid, Topology topology) {
    WalkGrid former = node.grid;
    UUID copyOf = former == null ? topology.gridId() : former.id();
    if (former != null && former != grid) {
      node.left.put(former.id(), node.adopted);
    }
    node.grid = grid;
    node.adopted = topology.number();
    for (int segment = 0; segment < layout.segments(); segment++) {
      enter(node, topology, segment, copyOf);
    }
  }

  private void enter(WalkNode node, Topology topology, int segment, UUID copyOf) {
    SegmentOwnership to = layout.ownership(topology, segment);
    SegmentCopy copy = node.copies[segment];
    boolean mayEndToWait = to.epoch() == copy.epoch && copy.part == Part.KEEPER;
    if (to.epoch() < copy.epoch || (to.epoch() == copy.epoch && !mayEndToWait)) {
      return;
    }
    Part next = part(to, node, copy, layout.cache(segment).isDurable());
    if (mayEndToWait && next == Part.KEEPER) {
      return;
    }
    if (topology.gridDefinition().prefersAvailability()) {
      keepForOthers(node, topology, segment, copyOf);
    }
    int began = next == Part.JOINER ? since(to, node.member) : copy.since;
    boolean isGood =
        began == copy.since
            && copy.since >= to.birthEpoch()
            && copy.since != 0
            && !(copy.restored && next == Part.JOINER);
    if (next == Part.NONE) {
      drop(node, segment);
    } else if (next == Part.JOINER && !isGood) {
      drop(node, segment);
      copy.beginToJoin(began);
    } else if (!isGood) {
      drop(node, segment);
      copy.since = to.epoch();
      copy.whole = true;
    }
    copy.restored &= next == Part.KEEPER;
    copy.serves = false;
    copy.part = next;
    copy.epoch = to.epoch();
  }

  private static Part part(SegmentOwnership to, WalkNode node, SegmentCopy copy, boolean keeps) {
    if (to.owners().contains(node.member)) {
      return Part.OWNER;
    }
    if (since(to, node.member) > 0) {
      return Part.JOINER;
    }
    boolean otherLife =
        keeps
            && copy.since != 0
            && (to.epoch() < copy.reached
                || Stream.concat(to.writers().stream(), to.lastOwners().stream())
                    .anyMatch(node.member::isSameNode));
    return to.lastOwners().contains(node.member) || otherLife ? Part.KEEPER : Part.NONE;
  }

  private static int since(SegmentOwnership to, Member member) {
    return to.joiners().stream()
        .filter(joiner -> joiner.member().equals(member))
        .mapToInt(SegmentOwnership.Joiner::sinceEpoch)
        .findFirst()
        .orElse(0);
  }

  /** In an available grid, keeps what others may lack, to be merged later. */
  private void keepForOthers(WalkNode node, Topology topology, int segment, UUID copyOf) {
    SegmentOwnership to = layout.ownership(topology, segment);
    SegmentCopy copy = node.copies[segment];
    boolean wasExcluded = !topology.members().contains(node.member) || copy.part == Part.KEEPER;
    boolean staysInSync =
        to.owners().contains(node.member) || to.lastOwners().contains(node.member);
    if (copy.holds() && (to.birthEpoch() > copy.epoch || (wasExcluded && !staysInSync))) {
      orphan(node, copyOf, segment);
    }
  }

  private static void orphan(WalkNode node, UUID grid, int segment) {
    SegmentCopy copy = node.copies[segment];
    if (!copy.writes.isEmpty()) {
      node.orphans.add(new OrphanedWrites(segment, grid, copy.epoch, (BitSet) copy.writes.clone()));
    }
  }

  /** Makes a node give its grid up for another. */
  void leaveGrid(WalkNode node) {
    WalkGrid grid = node.grid;
    if (grid == null) {
      return;
    }
    for (int segment = 0; segment < layout.segments(); segment++) {
      if (node.copies[segment].holds()) {
        orphan(node, grid.id(), segment);
      }
      node.copies[segment].drop();
      node.copies[segment].epoch = 0;
      node.copies[segment].replacedIn = 0;
    }
    node.left.put(grid.id(), node.adopted);
    node.grid = null;
    node.adopted = 0;
  }

  private void drop(WalkNode node, int segment) {
    BitSet writes = node.copies[segment].holds() ? node.copies[segment].writes : new BitSet();
    node.copies[segment].drop();
    checkKept(writes, segment, node + " drops its copy");
  }

  /**
   * Checks that in an available grid each write that a living node holds stays with a living node.
   */
  void checkKept(BitSet writes, int segment, String why) {
    BitSet missing = missing(writes, segment);
    if (!missing.isEmpty() && available()) {
      throw new WalkViolation(
          why + " of segment " + segment + ": nobody else alive has the writes " + missing);
    }
  }

  private boolean available() {
    return nodes.stream()
        .anyMatch(
            node -> node.grid != null && node.grid.now().gridDefinition().prefersAvailability());
  }

  /** Returns which of these writes no living node holds, except those whose last holder died. */
  private BitSet missing(BitSet writes, int segment) {
    BitSet missing = (BitSet) writes.clone();
    missing.andNot(gone);
    for (WalkNode node : nodes) {
      if (node.alive && !missing.isEmpty()) {
        if (node.copies[segment].holds() && !node.copies[segment].isReplaced()) {
          missing.andNot(node.copies[segment].writes);
        }
        node.orphans.stream()
            .filter(orphan -> orphan.segment() == segment)
            .forEach(orphan -> missing.andNot(orphan.writes()));
      }
    }
    return missing;
  }

  /** Replaces a copy by those of in-sync owners, as far as they are known. */
  void replaced(WalkNode node, int segment, int epoch) {
    node.copies[segment].replacedIn = epoch;
    if (node.copies[segment].holds()) {
      gone.or(missing(node.copies[segment].writes, segment));
    }
  }

  /** Crashes a node. */
  void crash(WalkNode node) {
    node.alive = false;
    for (int segment = 0; segment < layout.segments(); segment++) {
      if (node.copies[segment].holds()) {
        gone.or(missing(node.copies[segment].writes, segment));
      }
    }
    for (OrphanedWrites orphan : node.orphans) {
      gone.or(missing(orphan.writes(), orphan.segment()));
    }
  }

  /** Returns whether a node's copy has every write that was acknowledged in a grid. */
  static boolean holdsAll(WalkNode node, int segment, WalkGrid grid) {
    SegmentCopy copy = node.copies[segment];
    BitSet lacks = (BitSet) grid.acknowledged[segment].clone();
    lacks.andNot(copy.writes);
    return lacks.isEmpty()
        && (grid.acknowledged[segment].isEmpty() || (copy.whole && copy.since != 0));
  }
}
