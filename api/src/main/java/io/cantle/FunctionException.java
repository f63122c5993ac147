package io.cantle;

/**
 * A function given to {@code compute}, {@code merge} or one of their kin, to a stream or a
 * publisher, or the {@code equals} of a value, threw on the node that ran it. The call it was given
 * to wrote nothing; what the function had done by itself, in {@code forEach} for instance, stays.
 * The cause is what was thrown: of the same type if that is one of the JDK's common ones, else an
 * exception that shows the name, message and stack of the original.
 */
public final class FunctionException extends GridException {
  private static final long serialVersionUID = 1;

  private final String nodeName;

  /** Says which node ran it, and what it threw. */
  public FunctionException(String nodeName, Throwable cause) {
    super(
        "a function of this call threw on node "
            + nodeName
            + ": "
            + cause
            + "; the call itself wrote nothing",
        cause);
    this.nodeName = nodeName;
  }

  /** The name of the node that ran the function: the primary of a segment. */
  public String nodeName() {
    return nodeName;
  }
}
