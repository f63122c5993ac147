package io.cantle.core.topology;

import io.cantle.core.agreement.AgreementJournal;
import io.cantle.core.agreement.Ballot;
import io.cantle.core.base.StableStore;
import io.cantle.core.ownership.GridRecovery;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.Collection;
import java.util.Set;
import java.util.UUID;

/**
 * What a stopped node has recorded of its grid. With it, an operator can have the node continue
 * without nodes that are gone for good. See {@link GridRecovery}.
 *
 * <p><b>Threading:</b> any thread; the node must not run.
 */
public final class StoppedGrid {
  private final AgreementJournal.AgreementRecord record;
  private final UUID node;

  private StoppedGrid(AgreementJournal.AgreementRecord record, UUID node) {
    this.record = record;
    this.node = node;
  }

  /**
   * Reads the records of a node.
   *
   * @param node the node that wrote them
   * @throws IllegalStateException if they cannot be read, or the node was in no grid
   */
  public static StoppedGrid readFrom(StableStore stableStore, UUID node) {
    AgreementJournal.AgreementRecord record = AgreementJournal.read(stableStore);
    if (!record.currentTopology().isFounded()) {
      throw new IllegalStateException(
          "its node was in no grid when it stopped: take the folder of a node that was a member");
    }
    return new StoppedGrid(record, node);
  }

  /** The id of the grid. */
  public UUID grid() {
    return record.currentTopology().gridId();
  }

  /**
   * The last topology that this node adopted or accepted. One that it accepted may be decided, and
   * other members may have acted on it. Of several stopped nodes, the one whose last topology has
   * the highest number is the one to continue with.
   */
  public Topology lastTopology() {
    return record.lastTopologies().getLast();
  }

  /** The node, as a member of the grid. */
  public Member self() {
    return GridRecovery.relevantMembers(lastTopology()).stream()
        .filter(member -> member.nodeId().equals(node))
        .findFirst()
        .orElseGet(
            () -> new Member(new UUID(~node.getMostSignificantBits(), 1), node, "recovered"));
  }

  /**
   * Has the node continue without some nodes, as the only voter, when it starts again.
   *
   * @param gone the names of the nodes that are given up
   * @param grid the id of the grid that continues
   * @param onSaved run once that is on disk
   * @return what is lost by that
   * @throws IllegalArgumentException if a name is wrong, or too few are given
   */
  public RecoveryLoss recover(
      Collection<String> gone, UUID grid, StableStore stableStore, Runnable onSaved) {
    if (lastTopology().gridDefinition().prefersAvailability()) {
      throw new IllegalArgumentException(
          "the grid has WhenCut.available: its members go on by themselves when they are cut off");
    }
    Set<UUID> lost = GridRecovery.resolveLost(record.lastTopologies(), node, gone);
    if (lost.contains(node)) {
      throw new IllegalArgumentException(self().name() + " is the node of this folder");
    }
    Topology first = GridRecovery.recoverGrid(lastTopology(), lost, self(), grid);
    stableStore.save(
        AgreementJournal.RECORD_NAME,
        new AgreementJournal.AgreementRecord(record.promisedBallot(), Ballot.NONE, null, first)
            .encode(),
        onSaved);
    return new RecoveryLoss(GridRecovery.lostSegmentCount(first), GridRecovery.describeLoss(first));
  }

  /**
   * What none of the remaining nodes holds.
   *
   * @param segments how many segments, of all caches
   * @param text which segments, as a text for people
   */
  public record RecoveryLoss(long segments, String text) {}
}
