package io.cantle.bench;

import java.util.List;

/**
 * How many times as fast as another side one must be in a measure: the lower bound of the ratio's
 * interval.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param measure such as {@code get_text}
 * @param fast the side whose calls a second are divided
 * @param slow by those of this one
 * @param least what the lower bound must not be below
 */
record LocalGoal(String measure, LocalSide fast, LocalSide slow, double least) {

  /** All goals. */
  static final List<LocalGoal> ALL =
      List.of(
          new LocalGoal("get_text", LocalSide.CANTLE, LocalSide.ONE_SEGMENT, 0.97),
          new LocalGoal("put_text", LocalSide.CANTLE, LocalSide.ONE_SEGMENT, 0.97),
          new LocalGoal("get_bytes", LocalSide.CANTLE, LocalSide.ONE_SEGMENT, 0.97),
          new LocalGoal("put_bytes", LocalSide.CANTLE, LocalSide.ONE_SEGMENT, 0.97),
          new LocalGoal("get_text", LocalSide.CANTLE, LocalSide.INFINISPAN, 2.5),
          new LocalGoal("put_text", LocalSide.CANTLE, LocalSide.INFINISPAN, 2.5),
          new LocalGoal("get_bytes", LocalSide.CANTLE, LocalSide.INFINISPAN, 1),
          new LocalGoal("put_bytes", LocalSide.CANTLE, LocalSide.INFINISPAN, 1),
          new LocalGoal("get_text", LocalSide.CANTLE, LocalSide.JDK, 0.5));

  /** Returns the name of the ratio, which people and programs read alike. */
  String label() {
    return measure + "_" + fast.label() + "_to_" + slow.label();
  }
}
