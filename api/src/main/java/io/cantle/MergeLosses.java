package io.cantle;

/**
 * Counts of acknowledged writes that were lost in a grid whose sides go on {@linkplain
 * WhenCut.Available when they are cut off}, as one node has counted them since it started. The
 * primary of a key counts. For the first three counts, the sum over all nodes is therefore the
 * grid's, except for the counts of nodes that are gone.
 *
 * <p>The sum is never too low for values that were overwritten or removed when sides were merged.
 * It is too high where a merge was decided again because a node died or another became primary
 * meanwhile. It is also too high where replicas came back to a segment that had begun empty: of two
 * values it cannot be known whether the writer of the later had seen the earlier. Not counted are
 * values of which no living node has a replica, removals of keys that were absent because their
 * segment had begun empty, and removals beyond the last 4,096 of a segment.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param overwritten values that lost to a value of another side
 * @param removed values that lost to a removal
 * @param broughtBack removals that lost to a value
 * @param begunEmpty how many times a segment began empty because none of its owners was on this
 *     node's side; what these owners held comes back with them
 * @param destroyed values written on another side to a cache that this one had destroyed; the node
 *     that held them counts. A node that went on alone meanwhile does not know which of them others
 *     had brought before, and counts these too
 */
public record MergeLosses(
    long overwritten, long removed, long broughtBack, long begunEmpty, long destroyed) {

  /** Nothing was lost. */
  public static final MergeLosses NONE = new MergeLosses(0, 0, 0, 0, 0);

  /** The sums of these counts and others. */
  public MergeLosses plus(MergeLosses more) {
    return new MergeLosses(
        overwritten + more.overwritten,
        removed + more.removed,
        broughtBack + more.broughtBack,
        begunEmpty + more.begunEmpty,
        destroyed + more.destroyed);
  }
}
