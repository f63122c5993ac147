package io.cantle;

/**
 * Thrown when user code threw on the node that ran it: a function given to {@code compute}, {@code
 * merge} or a similar method, to a stream or a publisher, or the {@code equals} of a value. Also
 * thrown if what a function returned cannot be sent or stored; the message names its class. The
 * call wrote nothing; what the function did by itself, in {@code forEachOnOwners} for instance,
 * stays. The cause is what was thrown. It has the same type if that is one of the JDK's common
 * ones; otherwise it is an exception that shows the name, message and stack of the original.
 */
public final class FunctionException extends GridException {
  private static final long serialVersionUID = 1;

  private final String nodeName;
  private final boolean hasActed;

  /**
   * Makes an exception whose message names the node that ran the function, and what it threw.
   *
   * @param hasActed whether the function is run for what it does, and may have done some of it
   */
  public FunctionException(String nodeName, Throwable cause, boolean hasActed) {
    super(
        "a function of this call failed on node %s: %s; %s"
            .formatted(
                nodeName,
                cause,
                hasActed
                    ? "it may have run for other elements, and what it did stays: calling again runs"
                        + " it for them again"
                    : "the call itself wrote nothing"),
        cause);
    this.nodeName = nodeName;
    this.hasActed = hasActed;
  }

  /** The name of the node that ran the function: the primary of a segment. */
  public String nodeName() {
    return nodeName;
  }

  /** False if the action of {@code forEachOnOwners} or {@code forEachWithCache} threw. */
  @Override
  public boolean retrySafe() {
    return !hasActed;
  }
}
