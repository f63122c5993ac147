package io.cantle.core.operation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.transport.Response;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a bulk write, once each of its writes is settled. A write is named by its position
 * in the request; those that are not named are done.
 *
 * <p><b>Threading:</b> immutable, and the positions are not modified any more.
 *
 * @param isLeaseHeld whether the primary may answer; if not, nothing else counts
 * @param refused the writes that may be tried again
 * @param unmade the writes whose attempt has no effect, and never will have one. Those that are not
 *     to be tried again found no room
 * @param inDoubt the writes of which no node knows whether they were made
 * @param noRoom why there is no room for one of them; null if there is room for all
 */
record BulkWriteReply(
    boolean isLeaseHeld,
    Collection<Integer> refused,
    Collection<Integer> unmade,
    Collection<Integer> inDoubt,
    @Nullable WriteRefusal noRoom)
    implements Response {
  @Override
  public int expectedBytes() {
    return 16 + (refused.size() + unmade.size() + inDoubt.size()) * 2;
  }

  @Override
  public void write(Output out) {
    out.writeBoolean(isLeaseHeld);
    out.writeList(refused, position -> out.writeVarint(position));
    out.writeList(unmade, position -> out.writeVarint(position));
    out.writeList(inDoubt, position -> out.writeVarint(position));
    out.writeOptional(noRoom, refusal -> refusal.write(out));
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param itemCount the number of writes in the request
   */
  static BulkWriteReply read(Input in, int itemCount) {
    return in.requireEndAfter(
        new BulkWriteReply(
            in.readBoolean(),
            in.readList(itemCount, next -> next.readCount(itemCount - 1)),
            in.readList(itemCount, next -> next.readCount(itemCount - 1)),
            in.readList(itemCount, next -> next.readCount(itemCount - 1)),
            in.readOptional(WriteRefusal::read)));
  }
}
