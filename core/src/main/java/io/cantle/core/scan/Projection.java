package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.base.OutputFullException;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;

/**
 * What a pull delivers: which entries of which replicas, and what is written of them. The engine
 * visits, waits, and keeps to the bounds of the pull; it knows nothing else of what is scanned. One
 * projection serves one request.
 *
 * <p><b>Threading:</b> one thread.
 */
public interface Projection {

  /** Whether a replica in this state may be read. */
  boolean admits(ReplicaState state);

  /** Whether an entry counts before it is committed. */
  boolean takesUncommitted();

  /** Whether an entry is delivered, or only visited. */
  boolean includes(Replica replica, Entry entry);

  /** Whether values are looked at; if not, entries may come without them. */
  boolean needsValues();

  /** Whether the value of an entry has to be read if it is only on disk. */
  boolean needsValue(Replica replica, Entry entry);

  /** The approximate size of what is written of an entry, as far as it is known in advance. */
  long expectedBytes(Entry entry);

  /** Writes the elements made of an entry; returns how many there are. */
  int write(Entry entry, Output out);

  /** The most bytes of a block of elements; see {@link ScanStatus#BLOCK_ENDS}. */
  default int blockBytes() {
    return PullServer.BLOCK_BYTES;
  }

  /** The room below which no other entry is begun, where making it in vain is expensive. */
  default int minRoomBytes() {
    return 0;
  }

  /** Runs the visit of a segment, during which {@link #write} is called. */
  default void run(Output out, Runnable visit) {
    visit.run();
  }

  /**
   * Writes what belongs to a segment besides its elements, after the last of them.
   *
   * @param next where the next pull continues
   * @param begin where the last block of elements begins in the output
   * @return false if what was written does not count
   * @throws OutputFullException if there is no memory for it
   */
  default boolean finish(Replica replica, SegmentCursor next, Output out, int begin) {
    return true;
  }
}
