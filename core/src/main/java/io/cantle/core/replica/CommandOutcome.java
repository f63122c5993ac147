package io.cantle.core.replica;

/**
 * The outcome of a command at the primary.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface CommandOutcome extends ExecuteResult {
  /**
   * Not executed now, and this attempt never will be: it has no effect, however often its message
   * arrives.
   */
  record Refused() implements CommandOutcome {}

  /** Refused in the same way, because there is no room for what it writes. */
  record NoRoom(WriteRefusal refusal) implements CommandOutcome {}

  /**
   * Not executed here or not now. This node cannot tell any more whether this same attempt was
   * executed when its message arrived earlier.
   */
  record Forgotten() implements CommandOutcome {}

  /**
   * First tried before the node of this replica restarted, and possibly executed then. It can never
   * be known whether it was.
   */
  record InDoubt() implements CommandOutcome {}

  /** Ignored: its session gave it up long ago, or it was refused before, so no caller waits. */
  record Ignored() implements CommandOutcome {}

  /** Nothing new was written: the result is valid once {@code index} is committed. */
  record ResultOnly(int epoch, long index, OperationResult result) implements CommandOutcome {}

  /** Written. The write is to be sent where its route says, with {@code committed}. */
  record Written(
      OrderedWrite.CommandWrite write,
      boolean isResultPrevious,
      long committed,
      ReplicaState state,
      WriteRoute route)
      implements CommandOutcome {}
}
