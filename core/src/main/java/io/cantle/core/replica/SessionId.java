package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.memory.ObjectLayout;
import java.util.UUID;

/**
 * The identity of a session: one membership of one member. A member that was excluded and is
 * admitted again begins a new session, because owners have dropped what they knew of the first.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param member the id of the member that issues the commands
 * @param admissionNumber the number of the topology that admitted it
 */
public record SessionId(UUID member, long admissionNumber) {
  /** The memory of a session's identity. */
  static final int SIZE_BYTES =
      ObjectLayout.objectBytes(1, Long.BYTES) + ObjectLayout.objectBytes(0, 2 * Long.BYTES);

  /** Writes both. */
  void write(Output out) {
    out.writeId(member);
    out.writeVarint(admissionNumber);
  }

  /** Reads what {@link #write} wrote. */
  static SessionId read(Input in) {
    return new SessionId(in.readId(), in.readVarint());
  }
}
