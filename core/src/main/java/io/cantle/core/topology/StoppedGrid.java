package io.cantle.core.topology;

import io.cantle.core.base.Notes;
import io.cantle.core.transport.Member;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a stopped node has noted of its grid, and how an operator has it go on from that without
 * nodes that are gone for good. See {@link Recovery}.
 *
 * <p><b>Threading:</b> any thread; the node must not run.
 */
public final class StoppedGrid {
  private final Ledger.Page page;
  private final UUID node;

  private StoppedGrid(Ledger.Page page, UUID node) {
    this.page = page;
    this.node = node;
  }

  /**
   * Reads what is there.
   *
   * @param node whose notes they are
   * @throws IllegalStateException if they cannot be read, or the node was in no grid
   */
  public static StoppedGrid of(Notes notes, UUID node) {
    Ledger.Page page = Ledger.read(notes);
    if (!page.current().founded()) {
      throw new IllegalStateException("its node was in no grid when it stopped");
    }
    return new StoppedGrid(page, node);
  }

  /** Which grid it was. */
  public UUID grid() {
    return page.current().gridId();
  }

  /** The names of the members, as the node knew them. */
  public List<String> members() {
    return page.current().members().stream().map(Member::name).toList();
  }

  /** The names of those that decide. */
  public List<String> voters() {
    return page.current().membership().voters().stream().map(Member::name).toList();
  }

  /** What the node was called. */
  public String name() {
    return self().name();
  }

  private Member self() {
    return Recovery.concerned(page.current()).stream()
        .filter(member -> member.node().equals(node))
        .findFirst()
        .orElseGet(
            () -> new Member(new UUID(~node.getMostSignificantBits(), 1), node, "recovered"));
  }

  /**
   * Has the node go on without some, as the only one that decides, when it starts again.
   *
   * @param gone the names of the nodes that are given up
   * @param grid the id of the grid that goes on
   * @param then run once that is on disk
   * @return what is lost by that
   * @throws IllegalArgumentException if names are wrong, or too few
   */
  public Loss recover(Collection<String> gone, UUID grid, Notes notes, Runnable then) {
    Topology current = page.current();
    if (current.charter().available()) {
      throw new IllegalArgumentException(
          "the grid has WhenCut.available: its members go on by themselves when they are cut off");
    }
    Set<UUID> lost = Recovery.named(current, gone);
    if (lost.contains(node)) {
      throw new IllegalArgumentException(name() + " is the node of this folder");
    }
    Recovery.checkEnough(current, node, lost);
    Topology first = Recovery.of(current, lost, self(), grid);
    notes.keep(
        Ledger.NAME, new Ledger.Page(page.promised(), Ballot.NONE, null, first).bytes(), then);
    return new Loss(Recovery.lostSegments(first), Recovery.lossText(first));
  }

  /**
   * Has the node take all stores as they are, when it starts again: it forgets how far those of the
   * others had come.
   *
   * @param then run once that is on disk
   */
  public static void forgetAges(Notes notes, Runnable then) {
    StoreAges.forgetOthers(notes, then);
  }

  /**
   * What nobody holds who is left.
   *
   * @param segments how many segments, of all caches
   * @param text which, for people
   */
  public record Loss(long segments, String text) {}
}
