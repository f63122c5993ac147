package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;

/**
 * The identity of a write. A session tries a command again under the same identity, and owners that
 * know it answer without doing it twice.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param session who commands
 * @param sequence counts the commands of the session
 * @param lowestUnanswered the lowest sequence the session had no answer to when it commanded
 * @param requestId under which number the member waits
 * @param attempt counts the tries, from 1; 0 for one of many in a message, whose session takes no
 *     refusal for certain
 * @param firstEpoch the epoch in which it was tried first; it matters to the primary only and does
 *     not travel with what was written
 */
public record CommandId(
    SessionId session,
    long sequence,
    long lowestUnanswered,
    long requestId,
    int attempt,
    int firstEpoch) {

  /** A command that has been carried out, or begins now. */
  public CommandId(
      SessionId session, long sequence, long lowestUnanswered, long requestId, int attempt) {
    this(session, sequence, lowestUnanswered, requestId, attempt, Integer.MAX_VALUE);
  }

  /** The member that waits for the result. */
  public Member origin() {
    return new Member(session.member(), "");
  }

  /** Writes everything but where it began. */
  public void write(Output out) {
    session.write(out);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowestUnanswered);
    out.writeVarint(requestId);
    out.writeVarint(attempt);
  }

  /** Reads what {@link #write} wrote. */
  public static CommandId read(Input in) {
    SessionId session = SessionId.read(in);
    long sequence = in.readVarint();
    return new CommandId(
        session,
        sequence,
        sequence - in.readVarint(),
        in.readVarint(),
        in.readCount(Integer.MAX_VALUE));
  }
}
