package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;

/**
 * The identity of a write command. A session retries a command under the same identity, and owners
 * that know the identity answer without executing it twice.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param session the session that issued the command
 * @param sequence the number of the command in its session
 * @param lowestUnanswered the lowest sequence that the session had no answer to when it sent the
 *     command
 * @param requestId the request id under which the member waits for the answer
 * @param attempt the number of the attempt, from 1; 0 if its refusal need not be final
 * @param firstEpoch the epoch of the first attempt; only the primary uses it, and it is not
 *     replicated with the write
 */
public record CommandId(
    SessionId session,
    long sequence,
    long lowestUnanswered,
    long requestId,
    int attempt,
    int firstEpoch) {

  /** A command that has been executed, or is attempted for the first time. */
  public CommandId(
      SessionId session, long sequence, long lowestUnanswered, long requestId, int attempt) {
    this(session, sequence, lowestUnanswered, requestId, attempt, Integer.MAX_VALUE);
  }

  /** The member that waits for the result. */
  public Member origin() {
    return new Member(session.member(), "");
  }

  /** Writes everything except the epoch of the first attempt. */
  void write(Output out) {
    session.write(out);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowestUnanswered);
    out.writeVarint(requestId);
    out.writeVarint(attempt);
  }

  /** Reads what {@link #write} wrote. */
  static CommandId read(Input in) {
    SessionId session = SessionId.read(in);
    long sequence = in.readVarint();
    return new CommandId(
        session, sequence, sequence - in.readVarint(), in.readVarint(), in.readCount());
  }
}
