package io.cantle.core.replica;

import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import org.jspecify.annotations.Nullable;

/**
 * How the entries of a copy come to their end. An entry has ended when, and only when, a tick of
 * the primary's says so; before that anybody may find it due, and asks the primary.
 *
 * <p><b>Threading:</b> any thread; writes take the lock of the replica.
 */
public final class Aging {
  private final Contents contents;
  private final Orders orders;

  /** What is to be written next, as the primary. */
  interface Making {
    /** The write with this version, or null if there is nothing to be written. */
    @Nullable Item make(int epoch, long index);
  }

  /** Has the replica write something of itself. */
  interface Orders {
    /** What was written, null if nothing was or this is not the primary. */
    @Nullable Ordered order(Making making);
  }

  Aging(Contents contents, Orders orders) {
    this.contents = contents;
    this.orders = orders;
  }

  /** Whether something has lived its time, as far as is known here. */
  public boolean isDue() {
    return contents.isDue();
  }

  /** The time of the segment as it is known here, -1 if it has not begun. */
  public long segmentMillis() {
    return contents.clock().readMillis();
  }

  /**
   * Whether an entry may be answered from by whoever has not settled the segment: not one that
   * seems to be due, and not one whose reads are noted.
   */
  public boolean lives(Entry entry) {
    Deadline deadline = entry.deadline();
    return deadline == null || (deadline.idleMillis() == 0 && !contents.isDue(entry));
  }

  /** Ends what is due, as the primary; null if nothing is, or this is not it. */
  public @Nullable Ordered tick() {
    return orders.order(contents::tickIfDue);
  }

  /** Notes that an entry was read, as the primary; null if that need not be noted. */
  public @Nullable Ordered touch(Entry read) {
    return orders.order((epoch, index) -> contents.touch(read, epoch, index));
  }

  /** Whether reads of an entry are noted. */
  public static boolean notesReads(Entry entry) {
    Deadline deadline = entry.deadline();
    return deadline != null && deadline.idleMillis() > 0;
  }
}
