package io.cantle;

/**
 * What was lost of what had been acknowledged, in grids that go on {@linkplain WhenCut.Available
 * when they are cut}, as one node has counted it since it started. The primary of a key counts, so
 * that of the first three the sum over all nodes is the grid's, but for what nodes had counted that
 * are gone.
 *
 * <p>Of values that gave way when sides were merged the sum is never too low. It is too high where
 * a merge was decided once more, because a node died or another became primary meanwhile, and where
 * copies came back to a segment that had begun empty: of two values nobody can tell whether who
 * wrote the later had seen the earlier. What nobody kept that lives is not in it, nor are removals
 * of keys that were not there because their segment had begun empty, and those beyond the last
 * 4,096 of a segment.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param overwritten values that gave way to the value of another side
 * @param removed values that gave way to a removal
 * @param broughtBack removals that gave way to a value
 * @param begunEmpty how many times a segment began empty because none of its owners was on this
 *     node's side; what these held comes back with them
 */
public record MergeLosses(long overwritten, long removed, long broughtBack, long begunEmpty) {

  /** Nothing was lost. */
  public static final MergeLosses NONE = new MergeLosses(0, 0, 0, 0);

  /** Both together. */
  public MergeLosses plus(MergeLosses more) {
    return new MergeLosses(
        overwritten + more.overwritten,
        removed + more.removed,
        broughtBack + more.broughtBack,
        begunEmpty + more.begunEmpty);
  }
}
