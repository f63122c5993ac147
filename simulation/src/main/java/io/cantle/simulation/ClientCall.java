package io.cantle.simulation;

/**
 * A call as its client saw it. Moments are numbers in the order in which things happened in the
 * run.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ClientCall {
  private static final long NEVER_NANOS = Long.MAX_VALUE;

  private final String client;
  private final MapOperation operation;
  private final long invoked;
  private long returned = NEVER_NANOS;
  private long result;
  private CallOutcome fate = CallOutcome.OPEN;

  /** The outcome of a call. */
  enum CallOutcome {
    /**
     * The outcome is unknown: the call may have happened, may still happen, or may never happen.
     */
    OPEN,
    /** It happened and returned a result. */
    RETURNED,
    /** It happened, but its result is not known. */
    DONE_WITHOUT_RESULT,
    /** It did not happen and never will. */
    FAILED
  }

  ClientCall(String client, MapOperation operation, long invoked) {
    this.client = client;
    this.operation = operation;
    this.invoked = invoked;
  }

  String client() {
    return client;
  }

  MapOperation operation() {
    return operation;
  }

  long invoked() {
    return invoked;
  }

  /** Returns the moment the call returned, or one after all others if it did not. */
  long returnedAt() {
    return returned;
  }

  long result() {
    return result;
  }

  CallOutcome fate() {
    return fate;
  }

  /** Records that the call returned a result. */
  ClientCall recordReturn(long moment, long value) {
    returned = moment;
    result = value;
    fate = CallOutcome.RETURNED;
    return this;
  }

  /** Records that the call ended normally but its result is not known. */
  void recordDone(long moment) {
    returned = moment;
    fate = CallOutcome.DONE_WITHOUT_RESULT;
  }

  /** Records that the call had no effect. */
  void recordFailed() {
    fate = CallOutcome.FAILED;
  }

  /**
   * Returns the call as it was known at a moment: a return after that moment has not happened yet.
   */
  ClientCall asOfMoment(long moment) {
    return fate == CallOutcome.FAILED || returned <= moment
        ? this
        : new ClientCall(client, operation.withoutResult(), invoked);
  }

  /** Returns whether the call constrains the order of calls. */
  boolean isRelevant() {
    return switch (fate) {
      case OPEN -> !operation.isReadOnly();
      case RETURNED, DONE_WITHOUT_RESULT -> true;
      case FAILED -> false;
    };
  }

  /** Returns whether the call may be the next one in this state. */
  boolean isPossibleIn(long state) {
    return fate != CallOutcome.RETURNED || operation.resultIn(state) == result;
  }

  @Override
  public String toString() {
    String end =
        switch (fate) {
          case OPEN -> "never returned";
          case RETURNED -> returned + " returned " + Long.toHexString(result);
          case DONE_WITHOUT_RESULT -> returned + " done";
          case FAILED -> "failed";
        };
    return invoked + " " + client + " " + operation + " ... " + end;
  }
}
