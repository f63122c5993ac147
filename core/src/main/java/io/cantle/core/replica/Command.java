package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import java.util.UUID;

/**
 * The identity of a write. A session is one life of a member; it tries a command again under the
 * same identity, and owners that know it answer without doing it twice.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param session the id of the member that commands
 * @param sequence counts the commands of the session
 * @param lowest the lowest sequence the session had no answer to when it commanded
 * @param request under which number the member waits
 */
public record Command(UUID session, long sequence, long lowest, long request) {

  /** The member that waits for the result. */
  public Member origin() {
    return new Member(session, "");
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeLong(session.getMostSignificantBits());
    out.writeLong(session.getLeastSignificantBits());
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowest);
    out.writeVarint(request);
  }

  /** Reads what {@link #write} wrote. */
  public static Command read(Input in) {
    UUID session = new UUID(in.readLong(), in.readLong());
    long sequence = in.readVarint();
    return new Command(session, sequence, sequence - in.readVarint(), in.readVarint());
  }
}
