package io.cantle.simulation;

import java.util.List;

/**
 * Seeds that once failed, or that fail when an old mistake is put back, each with what was wrong.
 * They are run for ever. When {@link SeedScenario} draws differently, the seeds mean other runs.
 * The mistakes are then put back by hand to find new seeds, and a seed for which nobody has done
 * that is dropped. Those of the first scenario were dropped, in which views were true and nothing
 * was cut.
 */
final class RegressionSeeds {

  /** A seed and what it found. */
  record Kept(long seed, String found) {}

  /** Seeds of grids that stop where they are cut off. */
  static final List<Kept> ALL =
      List.of(
          new Kept(298, "a follower of a suspended primary took over, and ended entries early"),
          new Kept(953, "a follower that heard an old time answered entries that were long due"),
          new Kept(482, "what a leader proposed that was none any more was left with a voter"),
          new Kept(1001, "what a leader proposed that was none any more was left with a voter"),
          new Kept(1968, "newcomers that died before they knew were most of the voters"),
          new Kept(2037, "of two voters one left though the other, not in its view, did not know"),
          new Kept(2196, "a node excluded and back between two checks was said to go back"),
          new Kept(2901, "of two voters one left because it had not heard of the other for long"),
          new Kept(792, "the last member obeyed one that had left, and never led itself"),
          new Kept(
              1785, "a primary answered what it had answered in an epoch before another wrote"),
          new Kept(7708, "segments nobody had written to were lost with who never knew of them"),
          new Kept(4392, "who had founded a grid alone could neither join the others nor leave"),
          new Kept(4056, "half of an unused grid's founders had gone, and nobody founded another"),
          new Kept(6265, "a loss that was due was taken for a mistake"),
          new Kept(2285, "a node without a lease said that all was settled"),
          new Kept(2777, "an exclusion left a voter that was dead for a moment"),
          new Kept(1393, "a living owner was excluded before a dead one, and the segment was lost"),
          new Kept(3021, "a living owner was excluded before one that had died just now"),
          new Kept(3299, "a living owner was excluded before one that had died just now"),
          new Kept(3503, "a living owner was excluded before one that had died just now"),
          new Kept(3668, "a living owner was excluded before a dead one, by a leader cut off"),
          new Kept(9563, "who was excluded and left waited for a grid all others had left"),
          new Kept(16962, "who left was let go though two of the four others had just died"),
          new Kept(20157, "founders that had gone owned parts of a cache, which were lost"));

  /**
   * Seeds of grids whose nodes go on when they are cut off. There are none from the time when no
   * node died or left there.
   */
  static final List<Kept> AVAILABLE =
      List.of(
          new Kept(91, "a primary that had stood still did late what was done elsewhere since"),
          new Kept(111, "what was from before a segment began empty gave way uncounted"),
          new Kept(523, "who was leaving, and held nothing, waited for a grid all had left"),
          new Kept(536, "who was leaving, and held nothing, waited for a grid all had left"),
          new Kept(
              1854,
              "one waited for a dead grid it had left its own for, one for a dead grid it was in"),
          new Kept(2428, "who was alone and leaving met another side, and left with what to merge"),
          new Kept(3373, "epochs of a fork were compared with later ones of the grid it had left"));

  /** Seeds of grids whose nodes have stores. */
  static final List<Kept> DURABLE =
      List.of(
          new Kept(
              6, "those that started again kept each other from voting for their former lives"),
          new Kept(62, "a member that was just excluded was taken for a node with an old store"),
          new Kept(314, "one that was let go as all left waited for one that was gone already"),
          new Kept(667, "a grid that took the place of another had not heard of its cache"),
          new Kept(943, "that an earlier epoch was on disk took the place of a later one's word"),
          new Kept(1626, "what nobody was back to own yet was taken for a loss"),
          new Kept(5059, "one founder that restarted kept a grid that the others never noted"));

  /** Seeds of clients that use streams. */
  static final List<Kept> STREAMS =
      List.of(
          new Kept(179, "what follows a result was refused memory, and no function had thrown"),
          new Kept(191, "a function at an owner that was leaving was refused its cache"),
          new Kept(
              2006, "the rest of a segment was not asked for after an answer without elements"));

  /** Seeds of clients that destroy caches, of grids whose nodes go on when they are cut off. */
  static final List<Kept> DESTROYING =
      List.of(
          new Kept(90009, "caches of a grid that was founded anew were taken for destroyed ones"),
          new Kept(90051, "caches of a grid that was founded anew were taken for destroyed ones"),
          new Kept(90014, "a copy was dropped as merged though all that had received it had died"));

  private RegressionSeeds() {}
}
