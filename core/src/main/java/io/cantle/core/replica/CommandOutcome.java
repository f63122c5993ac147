package io.cantle.core.replica;

/**
 * How a command ended at the primary.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface CommandOutcome extends ExecuteResult {
  /** Not now, and this try never: it changes nothing, however often it comes. */
  record Refused() implements CommandOutcome {}

  /** The same, because the disk of this copy is full. */
  record DiskFull() implements CommandOutcome {}

  /**
   * Not here, or not now, and nobody here knows any more whether this very try was carried out when
   * it came before.
   */
  record Forgotten() implements CommandOutcome {}

  /**
   * It was tried before this copy's node started again, with others, and nobody will ever know
   * whether it was carried out.
   */
  record InDoubt() implements CommandOutcome {}

  /** Given up by its session long ago, or refused before: nobody waits. */
  record Ignored() implements CommandOutcome {}

  /** Nothing was written, or nothing anew: the result holds once {@code index} is committed. */
  record Answer(int epoch, long index, OperationResult result) implements CommandOutcome {}

  /** Written: to be sent to the others, after {@code committed}. */
  record Written(
      OrderedWrite.CommandWrite write, boolean isResultPrevious, long committed, ReplicaState state)
      implements CommandOutcome {}
}
