package io.cantle.simulation;

/**
 * One call on one key, and what it means: the sequential specification of the map. A value is a
 * number that no other write of the run writes, {@link #ABSENT} is none.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind which call
 * @param key the number of the key
 * @param expected what a conditional call compares with, else {@link #ABSENT}
 * @param value what a write writes or adds, else {@link #ABSENT}
 */
record MapOperation(Kind kind, int key, long expected, long value) {
  /** No value: the key is not there. */
  static final long ABSENT = 0;

  private static final long JOINED_BIT = 1L << 62;
  private static final long JOIN_OFFSET = 0x632B_E59B_D9B4_E019L;

  /** The calls of a map. */
  enum Kind {
    /** The value. */
    GET,
    /** Whether there is a value. */
    CONTAINS,
    /** Writes; the value before. */
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
    /** Adds one to a counter; the value after. */
    INCREMENT,
    /** Time ends an expected value, if it is still there; nobody is told. */
    END
  }

  /** A read. */
  static MapOperation get(int key) {
    return new MapOperation(Kind.GET, key, ABSENT, ABSENT);
  }

  /** A read of presence only. */
  static MapOperation contains(int key) {
    return new MapOperation(Kind.CONTAINS, key, ABSENT, ABSENT);
  }

  /** A plain write. */
  static MapOperation put(int key, long value) {
    return new MapOperation(Kind.PUT, key, ABSENT, value);
  }

  /** One more. */
  static MapOperation increment(int key) {
    return new MapOperation(Kind.INCREMENT, key, ABSENT, ABSENT);
  }

  /** The end of a value. */
  static MapOperation expire(int key, long value) {
    return new MapOperation(Kind.END, key, value, ABSENT);
  }

  /** The same, of which nobody knows whether it will be: time may still end a value. */
  MapOperation withoutResult() {
    return kind == Kind.END ? mayExpire(key, expected) : this;
  }

  /** The end of a value that need not come. */
  static MapOperation mayExpire(int key, long value) {
    return new MapOperation(Kind.REMOVE_IF, key, value, ABSENT);
  }

  /** A plain remove. */
  static MapOperation remove(int key) {
    return new MapOperation(Kind.REMOVE, key, ABSENT, ABSENT);
  }

  /** What {@link Kind#MERGE} and {@link Kind#COMPUTE_IF_PRESENT} make of two values. */
  static long joinValues(long before, long added) {
    long mixed = (before + JOIN_OFFSET) * (added | 1);
    return (mixed ^ (mixed >>> 29)) | JOINED_BIT;
  }

  /**
   * Both values of which, with the added one, {@link #joinValues} makes this: it forgets one bit.
   */
  static long[] joinWith(long joined, long added) {
    long inverse = inverse(added);
    return new long[] {joinWith(joined, inverse, 0), joinWith(joined, inverse, 1)};
  }

  /** One of the two values joined, by the inverse of the added one and the forgotten bit. */
  static long joinWith(long joined, long inverse, long bit) {
    long whole = joined ^ (bit << 62);
    return (whole ^ (whole >>> 29) ^ (whole >>> 58)) * inverse - JOIN_OFFSET;
  }

  /** What undoes the product of a join. */
  static long inverse(long added) {
    long factor = added | 1;
    long inverse = factor;
    // Each round doubles how many low bits are right, from three on.
    for (int bits = 3; bits < Long.SIZE; bits *= 2) {
      inverse *= 2 - factor * inverse;
    }
    return inverse;
  }

  /** Whether {@link #joinValues} may have made this value; values written plainly are smaller. */
  static boolean isJoined(long value) {
    return (value & JOINED_BIT) != 0;
  }

  /** What {@link Kind#COMPUTE} makes of what it finds. */
  static long computeValue(long before, long added) {
    if (before == ABSENT) {
      return added;
    }
    return (before & 3) == 0 ? ABSENT : joinValues(before, added);
  }

  /** Whether it never changes anything. */
  boolean isReadOnly() {
    return kind == Kind.GET || kind == Kind.CONTAINS;
  }

  /** Whether its value is what it writes or adds, rather than nothing. */
  boolean hasValue() {
    return switch (kind) {
      case GET, CONTAINS, REMOVE, REMOVE_IF, INCREMENT, END -> false;
      default -> true;
    };
  }

  /** Whether it only does anything where it finds what it expects. */
  boolean isConditional() {
    return kind == Kind.REMOVE_IF || kind == Kind.REPLACE_IF;
  }

  /** Whether it may join its value with what is there. */
  boolean canJoin() {
    return kind == Kind.MERGE || kind == Kind.COMPUTE || kind == Kind.COMPUTE_IF_PRESENT;
  }

  /** The state after it. */
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

  /** What it returns in a state: a value, or 1 and 0 for true and false. */
  long resultIn(long state) {
    return switch (kind) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> state;
      case CONTAINS -> state == ABSENT ? 0 : 1;
      case REMOVE_IF, REPLACE_IF -> state == expected ? 1 : 0;
      case MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, INCREMENT -> nextState(state);
      case END -> ABSENT;
    };
  }

  /** The value it has written if this was its result, or {@link #ABSENT} if it wrote none. */
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
