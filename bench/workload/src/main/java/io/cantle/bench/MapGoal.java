package io.cantle.bench;

/**
 * How many times as much as on another side a measure must be on one: the lower bound of the
 * ratio's interval.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param measure such as {@code get_text}
 * @param more the label of the side whose amounts are divided
 * @param less by those of this one
 * @param least what the lower bound must not be below
 */
record MapGoal(String measure, String more, String less, double least) {

  /** Returns the name of the ratio, which people and programs read alike. */
  String label() {
    return measure + "_" + more + "_to_" + less;
  }
}
