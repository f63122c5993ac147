package io.cantle.chaos;

/**
 * The kinds of calls that clients make. All but the last three are calls on one register, and have
 * the names of the simulation's operations, whose search checks them.
 */
enum CallKind {
  /** Returns the value. */
  GET,
  /** Writes; returns the value before, or no result when it is part of a putAll. */
  PUT,
  /** Writes if there is no value; returns the value before. */
  PUT_IF_ABSENT,
  /** Removes; returns the value before. */
  REMOVE,
  /** Removes an expected value; returns whether it did. */
  REMOVE_IF,
  /** Writes if there is a value; returns the value before. */
  REPLACE,
  /** Writes if there is the expected value; returns whether it did. */
  REPLACE_IF,
  /** Writes, or joins with the present value; returns the value after. */
  MERGE,
  /**
   * Writes if there is no value, removes one in four values, and joins with the others; returns the
   * value after.
   */
  COMPUTE,
  /** Writes if there is no value; returns the value after. */
  COMPUTE_IF_ABSENT,
  /** Joins with the present value; returns the value after. */
  COMPUTE_IF_PRESENT,
  /** Adds to a counter, by merge or compute; returns the value after. */
  ADD,
  /** Reads a counter. */
  READ,
  /** Iterates over all entries. */
  ITERATE;

  /** Returns whether it may change something. */
  boolean isWrite() {
    return this != GET && this != READ && this != ITERATE;
  }

  /** Returns whether it carries a value of its own. */
  boolean hasValue() {
    return isWrite() && this != REMOVE && this != REMOVE_IF;
  }

  /** Returns whether it compares with a value first. */
  boolean hasExpectedValue() {
    return this == REMOVE_IF || this == REPLACE_IF;
  }

  /** Returns whether it is a call on a register. */
  boolean isOnRegister() {
    return this != ADD && this != READ && this != ITERATE;
  }
}
