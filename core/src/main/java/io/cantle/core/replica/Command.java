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
 * @param lowest the lowest sequence the session had no answer to when it commanded
 * @param request under which number the member waits
 * @param attempt counts the tries, from 1; 0 for one of many in a message, whose session takes no
 *     refusal for certain
 * @param begun the epoch in which it was tried first; it matters to the primary only and does not
 *     travel with what was written
 */
public record Command(
    SessionId session, long sequence, long lowest, long request, int attempt, int begun) {

  /** A command that has been carried out, or begins now. */
  public Command(SessionId session, long sequence, long lowest, long request, int attempt) {
    this(session, sequence, lowest, request, attempt, Integer.MAX_VALUE);
  }

  /** The member that waits for the result. */
  public Member origin() {
    return new Member(session.member(), "");
  }

  /** Writes everything but where it began. */
  public void write(Output out) {
    session.write(out);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowest);
    out.writeVarint(request);
    out.writeVarint(attempt);
  }

  /** Reads what {@link #write} wrote. */
  public static Command read(Input in) {
    SessionId session = SessionId.read(in);
    long sequence = in.readVarint();
    return new Command(
        session,
        sequence,
        sequence - in.readVarint(),
        in.readVarint(),
        in.readCount(Integer.MAX_VALUE));
  }
}
