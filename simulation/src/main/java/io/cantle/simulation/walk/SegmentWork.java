package io.cantle.simulation.walk;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.transport.Member;
import io.cantle.simulation.walk.SegmentCopy.Part;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What nodes do with segments: they open epochs, write, fetch what they lack, report it, and get
 * merged what they held.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class SegmentWork {
  private final WalkScene scene;
  private final CacheLayout layout;
  private final CopyModel copies;
  private int nextWrite;

  SegmentWork(WalkScene scene, CopyModel copies) {
    this.scene = scene;
    this.layout = scene.layout;
    this.copies = copies;
  }

  void open(WalkNode node, WalkGrid grid, int segment) {
    SegmentCopy copy = node.copies[segment];
    SegmentOwnership ownership = layout.ownership(node.topology(), segment);
    if (copy.part != Part.OWNER
        || copy.serves
        || ownership.isUnowned()
        || ownership.epoch() != copy.epoch
        || !ownership.primary().equals(node.member)) {
      return;
    }
    List<Member> asked = new ArrayList<>(ownership.writers());
    asked.addAll(ownership.retiring());
    for (Member member : asked) {
      WalkNode other = scene.life(member);
      boolean isMember = node.topology().members().contains(member);
      if (isMember && !(other.reaches(node) && other.copies[segment].epoch >= copy.epoch)) {
        return;
      }
    }
    grid.opened[segment] = Math.max(grid.opened[segment], copy.epoch);
    if (!ownership.isUnconfirmed()) {
      copy.serves = true;
      grid.served[segment] = Math.max(grid.served[segment], copy.epoch);
    } else if (scene.isDecisive(node, grid)) {
      grid.reportOpened(segment, copy.epoch);
    }
  }

  /** Writes to some segments. */
  void write() {
    for (int segment = 0; segment < layout.segments(); segment++) {
      for (WalkNode node : scene.nodes) {
        if (node.alive && node.copies[segment].serves && !scene.oneIn(3)) {
          write(node, Objects.requireNonNull(node.grid), segment, null);
        }
      }
    }
  }

  /** Writes something new, or what is to be merged; returns whether it was acknowledged. */
  private boolean write(WalkNode node, WalkGrid grid, int segment, @Nullable BitSet old) {
    SegmentCopy copy = node.copies[segment];
    SegmentOwnership ownership = layout.ownership(node.topology(), segment);
    List<WalkNode> writers = ownership.writers().stream().map(scene::life).toList();
    boolean allHave =
        writers.stream()
            .allMatch(one -> one.reaches(node) && one.copies[segment].epoch == copy.epoch);
    boolean leased = scene.isDecisive(node, grid) && grid.now().members().contains(node.member);
    // The others have given up what these nodes hold, and go on without it. These nodes become a
    // side of their own, if they may.
    boolean isGivenUp = grid.ownership(segment).birthEpoch() > copy.epoch;
    if (!allHave
        || (writers.size() == 1 && !leased)
        || (isGivenUp && !grid.now().gridDefinition().prefersAvailability())) {
      return false;
    }
    if (copy.epoch < grid.served[segment] && !isGivenUp) {
      throw new WalkViolation(
          node
              + " has a write of segment "
              + segment
              + " acknowledged in epoch "
              + copy.epoch
              + ", and epoch "
              + grid.served[segment]
              + " is served");
    }
    BitSet what = new BitSet();
    if (old == null) {
      what.set(nextWrite++);
    } else {
      what.or(old);
    }
    if (!isGivenUp) {
      grid.acknowledged[segment].or(what);
    }
    writers.forEach(one -> one.copies[segment].writes.or(what));
    return true;
  }

  void fetch(WalkNode node, int outOf) {
    WalkGrid grid = node.grid;
    for (int segment = 0; grid != null && segment < layout.segments(); segment++) {
      SegmentCopy copy = node.copies[segment];
      SegmentOwnership ownership = layout.ownership(node.topology(), segment);
      if (copy.part == Part.JOINER
          && !copy.whole
          && !ownership.isUnowned()
          && ownership.epoch() == copy.epoch
          && scene.oneIn(outOf)) {
        WalkNode source = scene.life(ownership.primary());
        if (source.reaches(node)
            && source.copies[segment].serves
            && source.copies[segment].epoch == copy.epoch) {
          copy.writes.or(source.copies[segment].writes);
          copy.whole = true;
        }
      }
    }
  }

  /** Makes a node report to the leader how far it is. */
  void report(WalkNode node, WalkGrid grid, boolean all) {
    if (all || !scene.oneIn(4)) {
      grid.reportAdopted(node.member, node.adopted);
    }
    for (int segment = 0; segment < layout.segments(); segment++) {
      SegmentCopy copy = node.copies[segment];
      SegmentOwnership ownership = layout.ownership(node.topology(), segment);
      if (copy.part == Part.JOINER && copy.epoch == ownership.epoch() && (all || !scene.oneIn(3))) {
        if (copy.whole) {
          grid.reportReceived(segment, copy.epoch, node.member);
        } else if (ownership.isLost()) {
          grid.reportDropped(segment, copy.epoch, node.member);
        }
      }
    }
  }

  /** Writes what a node holds and others may lack, where it is a member now. */
  void merge(WalkNode node, WalkGrid grid) {
    if (!node.isMember()) {
      return;
    }
    for (OrphanedWrites orphan : List.copyOf(node.orphans)) {
      int segment = orphan.segment();
      SegmentOwnership ownership = layout.ownership(node.topology(), segment);
      if (ownership.isUnowned()) {
        continue;
      }
      WalkNode primary = scene.life(ownership.primary());
      boolean isOwn = orphan.grid().equals(grid.id()) && ownership.birthEpoch() <= orphan.epoch();
      if (primary.reaches(node)
          && primary.copies[segment].serves
          && primary.copies[segment].epoch == ownership.epoch()
          && write(primary, grid, segment, isOwn ? new BitSet() : orphan.writes())) {
        node.orphans.remove(orphan);
        copies.checkKept(orphan.writes(), segment, node + " has merged what it held");
      }
    }
  }
}
