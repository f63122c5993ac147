package io.cantle.simulation;

import java.util.List;

/** Seeds that once failed, each with what was wrong: they run for ever after. */
final class KeptSeeds {

  /** One of them. */
  record Kept(long seed, String found) {}

  static final List<Kept> ALL =
      List.of(
          new Kept(1, "a joiner became primary before it knew that its epoch was served"),
          new Kept(
              151, "the late answer of an earlier try ended a write that a later try had done"),
          new Kept(280, "a write under way when the epoch changed was reported as not written"),
          new Kept(286, "a write tried in two epochs was reported as not written"),
          new Kept(746, "a write of a leaving primary was reported as not written"),
          new Kept(850, "a conditional write was reported as not written"),
          new Kept(925, "a write of a leaving primary was reported as not written"));

  private KeptSeeds() {}
}
