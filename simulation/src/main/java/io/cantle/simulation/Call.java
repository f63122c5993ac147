package io.cantle.simulation;

/**
 * A call as its client saw it. Moments are numbers in the order in which things happened in the
 * run.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Call {
  private static final long NEVER = Long.MAX_VALUE;

  private final String client;
  private final Operation operation;
  private final long invoked;
  private long returned = NEVER;
  private long result;
  private Fate fate = Fate.OPEN;

  /** What became of a call. */
  enum Fate {
    /** It may have happened, may happen later, or never: nobody was told. */
    OPEN,
    /** It happened and returned a result. */
    RETURNED,
    /** It happened; what it returned is not known. */
    DONE,
    /** It did not happen and never will. */
    FAILED
  }

  Call(String client, Operation operation, long invoked) {
    this.client = client;
    this.operation = operation;
    this.invoked = invoked;
  }

  String client() {
    return client;
  }

  Operation operation() {
    return operation;
  }

  long invoked() {
    return invoked;
  }

  /** The moment it returned, or one after everything else. */
  long returned() {
    return returned;
  }

  long result() {
    return result;
  }

  Fate fate() {
    return fate;
  }

  /** It returned a result. */
  Call returned(long moment, long value) {
    returned = moment;
    result = value;
    fate = Fate.RETURNED;
    return this;
  }

  /** It ended normally without telling a result. */
  void done(long moment) {
    returned = moment;
    fate = Fate.DONE;
  }

  /** It had no effect. */
  void failed() {
    fate = Fate.FAILED;
  }

  /** The call as it was known at a moment: what returned later had not returned. */
  Call asOf(long moment) {
    return fate == Fate.FAILED || returned <= moment
        ? this
        : new Call(client, operation.unfinished(), invoked);
  }

  /** Whether it says anything about the order of things. */
  boolean matters() {
    return switch (fate) {
      case OPEN -> !operation.readOnly();
      case RETURNED, DONE -> true;
      case FAILED -> false;
    };
  }

  /** Whether it may be the next one in this state. */
  boolean fits(long state) {
    return fate != Fate.RETURNED || operation.result(state) == result;
  }

  @Override
  public String toString() {
    String end =
        switch (fate) {
          case OPEN -> "never returned";
          case RETURNED -> returned + " returned " + Long.toHexString(result);
          case DONE -> returned + " done";
          case FAILED -> "failed";
        };
    return invoked + " " + client + " " + operation + " ... " + end;
  }
}
