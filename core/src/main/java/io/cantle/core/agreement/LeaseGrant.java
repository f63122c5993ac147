package io.cantle.core.agreement;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A voter's grant of a lease, with what helps the member to check its clocks and other voters.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param requestedAt when the member requested it, by its own clocks
 * @param votersSinceNumber identifies the voters it asked
 * @param previous the request before that one, if any
 * @param silentMembers the ids of the members that the voter does not hear
 */
public record LeaseGrant(
    ClockReading requestedAt,
    long votersSinceNumber,
    @Nullable PreviousRequest previous,
    List<UUID> silentMembers)
    implements Message {
  /**
   * An earlier request.
   *
   * @param requestedAt when the member requested it, by its own clocks
   * @param ageNanos the time that has passed since then at the voter
   */
  record PreviousRequest(ClockReading requestedAt, long ageNanos) {}

  @Override
  public MessageKind kind() {
    return MessageKind.LEASE_RENEWED;
  }

  @Override
  public void write(Output out) {
    requestedAt.write(out);
    out.writeLong(votersSinceNumber);
    out.writeOptional(
        previous,
        request -> {
          request.requestedAt.write(out);
          out.writeLong(request.ageNanos);
        });
    out.writeList(silentMembers, out::writeId);
  }

  /** Reads what {@link #write} wrote. */
  public static LeaseGrant read(Input in) {
    return in.requireEndAfter(
        new LeaseGrant(
            ClockReading.read(in),
            in.readLong(),
            in.readBoolean() ? new PreviousRequest(ClockReading.read(in), in.readLong()) : null,
            in.readList(Input::readId)));
  }
}
