package io.cantle.simulation;

import java.util.List;
import java.util.stream.Stream;

/**
 * Seeds that once failed, or fail when an old mistake is put back, each with what was wrong: they
 * run for ever after. When {@link Scenario} draws otherwise, they mean other runs, and the mistakes
 * are put back by hand to find new ones. Those of the first scenario, in which views were the truth
 * and nothing was cut, stand apart: what they found is worth keeping, their numbers are any.
 */
final class KeptSeeds {

  /** One of them. */
  record Kept(long seed, String found) {}

  private static final List<Kept> FIRST_SCENARIO =
      List.of(
          new Kept(4, "a joiner became primary before it knew that its epoch was served"),
          new Kept(
              523, "the late answer of an earlier try ended a write that a later try had done"),
          new Kept(50, "a write tried in several epochs was reported as not written"),
          new Kept(73, "a member not heard of yet was taken for gone"),
          new Kept(129, "an answer that came twice was taken for that of the next step"),
          new Kept(275, "an answer that came twice was taken for that of the next step"),
          new Kept(
              1561, "a joiner became owner without the entry an unfinished write had replaced"));

  /** Of the present scenario. */
  private static final List<Kept> PRESENT_SCENARIO = List.of();

  static final List<Kept> ALL =
      Stream.concat(FIRST_SCENARIO.stream(), PRESENT_SCENARIO.stream()).toList();

  private KeptSeeds() {}
}
