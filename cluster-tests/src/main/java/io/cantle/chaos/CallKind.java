package io.cantle.chaos;

/**
 * What clients call. All but the last three are calls on one register, and are named as the
 * simulation names its operations, whose search judges them.
 */
enum CallKind {
  /** The value. */
  GET,
  /** Writes; the value before, or none told when it is part of a putAll. */
  PUT,
  /** Writes where there is none; the value before. */
  PUT_IF_ABSENT,
  /** Removes; the value before. */
  REMOVE,
  /** Removes an expected value; whether it did. */
  REMOVE_IF,
  /** Writes where there is one; the value before. */
  REPLACE,
  /** Writes where there is the expected one; whether it did. */
  REPLACE_IF,
  /** Writes, or joins with what is there; the value after. */
  MERGE,
  /** Writes where there is none, removes every fourth, else joins; the value after. */
  COMPUTE,
  /** Writes where there is none; the value after. */
  COMPUTE_IF_ABSENT,
  /** Joins with what is there; the value after. */
  COMPUTE_IF_PRESENT,
  /** Adds to a counter, by merge or compute; the value after. */
  ADD,
  /** Reads a counter. */
  READ,
  /** Walks over all entries. */
  ITERATE;

  /** Whether it may change something. */
  boolean isWrite() {
    return this != GET && this != READ && this != ITERATE;
  }

  /** Whether it carries a value of its own. */
  boolean hasValue() {
    return isWrite() && this != REMOVE && this != REMOVE_IF;
  }

  /** Whether it compares with a value first. */
  boolean hasExpectedValue() {
    return this == REMOVE_IF || this == REPLACE_IF;
  }

  /** Whether it is a call on a register. */
  boolean isOnRegister() {
    return this != ADD && this != READ && this != ITERATE;
  }
}
