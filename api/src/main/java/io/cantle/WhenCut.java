package io.cantle;

/**
 * What nodes do that are cut off from the majority of their grid. Taken from the node that founds
 * the grid; one that says otherwise cannot join it.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface WhenCut {

  /**
   * They stop answering until they are back: nothing that was acknowledged is ever lost. In a grid
   * of two both stop when they lose each other.
   */
  static WhenCut stop() {
    return new Stop();
  }

  /**
   * As {@link #stop}, but in a grid of two the older node, the first of {@link Grid#members}, goes
   * on alone when the other is gone. The younger one never does, so nothing that was acknowledged
   * is lost either. With three members or more a majority decides. The default.
   */
  static WhenCut oldestDecides() {
    return new OldestDecides();
  }

  /**
   * They go on by themselves, reading and writing, as a fork of the grid. When the sides meet again
   * everything is merged by rules that give the same whoever applies them. Of what was written on
   * both sides one is lost, though acknowledged: that is counted and logged, see {@link
   * Grid#mergeLosses}. Segments whose owners are all on another side begin empty meanwhile; of what
   * these held, and what was written since, one is lost likewise. What a node alone on its side
   * wrote goes with it if it dies or leaves there, and is not counted. No cache of such a grid can
   * be kept on disk.
   */
  static WhenCut available(MergePolicy policy) {
    return new Available(policy);
  }

  /** See {@link WhenCut#stop}. */
  record Stop() implements WhenCut {}

  /** See {@link WhenCut#oldestDecides}. */
  record OldestDecides() implements WhenCut {}

  /**
   * See {@link WhenCut#available}.
   *
   * @param policy what becomes of a key that was written on both sides
   */
  record Available(MergePolicy policy) implements WhenCut {}
}
