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
record Operation(Kind kind, int key, long expected, long value) {
  /** No value: the key is not there. */
  static final long ABSENT = 0;

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
    INCREMENT
  }

  /** A read. */
  static Operation get(int key) {
    return new Operation(Kind.GET, key, ABSENT, ABSENT);
  }

  /** A read of presence only. */
  static Operation contains(int key) {
    return new Operation(Kind.CONTAINS, key, ABSENT, ABSENT);
  }

  /** A plain write. */
  static Operation put(int key, long value) {
    return new Operation(Kind.PUT, key, ABSENT, value);
  }

  /** One more. */
  static Operation increment(int key) {
    return new Operation(Kind.INCREMENT, key, ABSENT, ABSENT);
  }

  /** A plain remove. */
  static Operation remove(int key) {
    return new Operation(Kind.REMOVE, key, ABSENT, ABSENT);
  }

  /** What {@link Kind#MERGE} and {@link Kind#COMPUTE_IF_PRESENT} make of two values. */
  static long join(long before, long added) {
    long mixed = (before + 0x632B_E59B_D9B4_E019L) * (added | 1);
    return (mixed ^ (mixed >>> 29)) | 1L << 62;
  }

  /** What {@link Kind#COMPUTE} makes of what it finds. */
  static long computed(long before, long added) {
    if (before == ABSENT) {
      return added;
    }
    return (before & 3) == 0 ? ABSENT : join(before, added);
  }

  /** Whether it never changes anything. */
  boolean readOnly() {
    return kind == Kind.GET || kind == Kind.CONTAINS;
  }

  /** The state after it. */
  long next(long state) {
    return switch (kind) {
      case GET, CONTAINS -> state;
      case PUT -> value;
      case PUT_IF_ABSENT, COMPUTE_IF_ABSENT -> state == ABSENT ? value : state;
      case REMOVE -> ABSENT;
      case REMOVE_IF -> state == expected ? ABSENT : state;
      case REPLACE -> state == ABSENT ? ABSENT : value;
      case REPLACE_IF -> state == expected ? value : state;
      case MERGE -> state == ABSENT ? value : join(state, value);
      case COMPUTE -> computed(state, value);
      case COMPUTE_IF_PRESENT -> state == ABSENT ? ABSENT : join(state, value);
      case INCREMENT -> state + 1;
    };
  }

  /** What it returns in a state: a value, or 1 and 0 for true and false. */
  long result(long state) {
    return switch (kind) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> state;
      case CONTAINS -> state == ABSENT ? 0 : 1;
      case REMOVE_IF, REPLACE_IF -> state == expected ? 1 : 0;
      case MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, INCREMENT -> next(state);
    };
  }

  /** The value it has written if this was its result, or {@link #ABSENT} if it wrote none. */
  long written(long result) {
    return switch (kind) {
      case PUT -> value;
      case PUT_IF_ABSENT -> result == ABSENT ? value : ABSENT;
      case REPLACE -> result == ABSENT ? ABSENT : value;
      case REPLACE_IF -> result == 1 ? value : ABSENT;
      case MERGE, COMPUTE, COMPUTE_IF_PRESENT, INCREMENT -> result;
      case COMPUTE_IF_ABSENT -> result == value ? value : ABSENT;
      case GET, CONTAINS, REMOVE, REMOVE_IF -> ABSENT;
    };
  }

  @Override
  public String toString() {
    String more = expected == ABSENT ? "" : " expecting " + Long.toHexString(expected);
    String with = value == ABSENT ? "" : " with " + Long.toHexString(value);
    return kind + " k" + key + more + with;
  }
}
