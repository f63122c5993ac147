package io.cantle.simulation;

/**
 * One call on one key, and its meaning: the sequential specification of the map. A value is a
 * number that no other write of the run writes; {@link #ABSENT} stands for no value.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind which call
 * @param key the number of the key
 * @param expected what a conditional call compares with, else {@link #ABSENT}
 * @param value what a write writes or adds, else {@link #ABSENT}
 */
record MapOperation(Kind kind, int key, long expected, long value) {
  /** No value: the key is absent. */
  static final long ABSENT = 0;

  private static final long JOINED_BIT = 1L << 62;
  private static final long JOIN_OFFSET = 0x632B_E59B_D9B4_E019L;

  /** The calls of a map, each with what it does and what it returns. */
  enum Kind {
    /** Returns the value. */
    GET,
    /** Returns whether there is a value. */
    CONTAINS,
    /** Writes; returns the value before. */
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
     * Writes if there is no value, removes one in four values, and joins with the others; returns
     * the value after.
     */
    COMPUTE,
    /** Writes if there is no value; returns the value after. */
    COMPUTE_IF_ABSENT,
    /** Joins with the present value; returns the value after. */
    COMPUTE_IF_PRESENT,
    /** Adds one to a counter; returns the value after. */
    INCREMENT,
    /** The expiry of an expected value, if it is still there; it reports nothing. */
    END
  }

  /** Returns a read. */
  static MapOperation get(int key) {
    return new MapOperation(Kind.GET, key, ABSENT, ABSENT);
  }

  /** Returns a read of presence only. */
  static MapOperation contains(int key) {
    return new MapOperation(Kind.CONTAINS, key, ABSENT, ABSENT);
  }

  /** Returns a plain write. */
  static MapOperation put(int key, long value) {
    return new MapOperation(Kind.PUT, key, ABSENT, value);
  }

  /** Returns an increment. */
  static MapOperation increment(int key) {
    return new MapOperation(Kind.INCREMENT, key, ABSENT, ABSENT);
  }

  /** Returns the expiry of a value. */
  static MapOperation expire(int key, long value) {
    return new MapOperation(Kind.END, key, value, ABSENT);
  }

  /**
   * Returns the same operation for an unknown outcome. An expiry of which nobody knows whether it
   * happens may still happen.
   */
  MapOperation withoutResult() {
    return kind == Kind.END ? mayExpire(key, expected) : this;
  }

  /** Returns an expiry that may or may not happen. */
  static MapOperation mayExpire(int key, long value) {
    return new MapOperation(Kind.REMOVE_IF, key, value, ABSENT);
  }

  /** Returns a plain removal. */
  static MapOperation remove(int key) {
    return new MapOperation(Kind.REMOVE, key, ABSENT, ABSENT);
  }

  /** Returns what {@link Kind#MERGE} and {@link Kind#COMPUTE_IF_PRESENT} make of two values. */
  static long joinValues(long before, long added) {
    long mixed = (before + JOIN_OFFSET) * (added | 1);
    return (mixed ^ (mixed >>> 29)) | JOINED_BIT;
  }

  /**
   * Returns both values from which {@link #joinValues}, with the added value, makes this one. There
   * are two because a join forgets one bit.
   */
  static long[] joinWith(long joined, long added) {
    long inverse = inverse(added);
    return new long[] {joinWith(joined, inverse, 0), joinWith(joined, inverse, 1)};
  }

  /**
   * Returns one of the two values joined, from the inverse of the added one and the forgotten bit.
   */
  static long joinWith(long joined, long inverse, long bit) {
    long whole = joined ^ (bit << 62);
    return (whole ^ (whole >>> 29) ^ (whole >>> 58)) * inverse - JOIN_OFFSET;
  }

  /** Returns the multiplicative inverse that undoes the product of a join. */
  static long inverse(long added) {
    long factor = added | 1;
    long inverse = factor;
    // Each round doubles the number of correct low bits, which starts at three.
    for (int bits = 3; bits < Long.SIZE; bits *= 2) {
      inverse *= 2 - factor * inverse;
    }
    return inverse;
  }

  /**
   * Returns whether {@link #joinValues} may have made this value. Values written plainly are
   * smaller.
   */
  static boolean isJoined(long value) {
    return (value & JOINED_BIT) != 0;
  }

  /** Returns what {@link Kind#COMPUTE} makes of the value it finds. */
  static long computeValue(long before, long added) {
    if (before == ABSENT) {
      return added;
    }
    return (before & 3) == 0 ? ABSENT : joinValues(before, added);
  }

  /** Returns whether the operation never changes anything. */
  boolean isReadOnly() {
    return kind == Kind.GET || kind == Kind.CONTAINS;
  }

  /** Returns whether its value is what it writes or adds, rather than nothing. */
  boolean hasValue() {
    return switch (kind) {
      case GET, CONTAINS, REMOVE, REMOVE_IF, INCREMENT, END -> false;
      default -> true;
    };
  }

  /** Returns whether it has an effect only if it finds what it expects. */
  boolean isConditional() {
    return kind == Kind.REMOVE_IF || kind == Kind.REPLACE_IF;
  }

  /** Returns whether it may join its value with the present one. */
  boolean canJoin() {
    return kind == Kind.MERGE || kind == Kind.COMPUTE || kind == Kind.COMPUTE_IF_PRESENT;
  }

  /** Returns the state after the operation. */
  long nextState(long state) {
    return switch (kind) {
      case GET, CONTAINS -> state;
      case PUT -> value;
      case PUT_IF_ABSENT, COMPUTE_IF_ABSENT -> state == ABSENT ? value : state;
      case REMOVE -> ABSENT;
      case REMOVE_IF, END -> state == expected ? ABSENT : state;
      case REPLACE -> state == ABSENT ? ABSENT : value;
      case REPLACE_IF -> state == expected ? value : state;
      case MERGE -> state == ABSENT ? value : joinValues(state, value);
      case COMPUTE -> computeValue(state, value);
      case COMPUTE_IF_PRESENT -> state == ABSENT ? ABSENT : joinValues(state, value);
      case INCREMENT -> state + 1;
    };
  }

  /** Returns the result in a state: a value, or 1 and 0 for true and false. */
  long resultIn(long state) {
    return switch (kind) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> state;
      case CONTAINS -> state == ABSENT ? 0 : 1;
      case REMOVE_IF, REPLACE_IF -> state == expected ? 1 : 0;
      case MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, INCREMENT -> nextState(state);
      case END -> ABSENT;
    };
  }

  /** Returns the value it wrote if this was its result, or {@link #ABSENT} if it wrote none. */
  long writtenValue(long result) {
    return switch (kind) {
      case PUT -> value;
      case PUT_IF_ABSENT -> result == ABSENT ? value : ABSENT;
      case REPLACE -> result == ABSENT ? ABSENT : value;
      case REPLACE_IF -> result == 1 ? value : ABSENT;
      case MERGE, COMPUTE, COMPUTE_IF_PRESENT, INCREMENT -> result;
      case COMPUTE_IF_ABSENT -> result == value ? value : ABSENT;
      case GET, CONTAINS, REMOVE, REMOVE_IF, END -> ABSENT;
    };
  }

  @Override
  public String toString() {
    String more = expected == ABSENT ? "" : " expecting " + Long.toHexString(expected);
    String with = value == ABSENT ? "" : " with " + Long.toHexString(value);
    return kind + " k" + key + more + with;
  }
}
