package io.cantle;

/**
 * What nodes do that are cut off from the majority of their grid. The node that founds the grid
 * decides it; a node with another setting cannot join.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface WhenCut {

  /**
   * Nodes that are cut off stop answering until they are connected again. Nothing that was
   * acknowledged is ever lost. In a grid of two, both stop when they lose each other.
   */
  static WhenCut stop() {
    return new Stop();
  }

  /**
   * Like {@link #stop}, except that in a grid of two the older node, the first of {@link
   * Grid#members}, goes on alone when the other is gone. The younger one never does, so nothing
   * that was acknowledged is lost either. With three members or more a majority decides. The
   * default.
   */
  static WhenCut oldestDecides() {
    return new OldestDecides();
  }

  /**
   * Nodes that are cut off go on by themselves, reading and writing, as a fork of the grid. When
   * the sides meet again they are merged by rules that give the same result on every node. Of a key
   * that was written on both sides one write is lost although it was acknowledged; that is counted
   * and logged, see {@link Grid#mergeLosses}.
   *
   * <p>Segments whose owners are all on another side begin empty meanwhile. When these owners
   * return, one of two values is likewise lost for each key that has one from before and one
   * written since. If a node is alone on its side and dies or leaves there, what it wrote is lost
   * and not counted. No cache of such a grid can be kept on disk.
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
   * @param policy decides the value of a key that was written on both sides
   */
  record Available(MergePolicy policy) implements WhenCut {}
}
