package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;

/**
 * Why a primary does not make a write, other than that it is not the time or the place. Trying
 * again at once does not help.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param shortage what there is too little of
 * @param used how much of it is in use, or would be; 0 for a disk
 * @param limit how much there may be; 0 for a disk
 * @param node the name of the node where; empty if it is the primary
 */
public record WriteRefusal(Shortage shortage, long used, long limit, String node) {
  /** The disk of the replica is full. */
  public static final WriteRefusal DISK_FULL = new WriteRefusal(Shortage.DISK_FULL, 0, 0);

  /** What there is too little of. */
  public enum Shortage {
    /** The disk of the replica is full. */
    DISK_FULL,
    /** The segment has as many entries as it may. */
    ENTRIES_FULL,
    /** The entries of the segment take as many bytes as they may. */
    BYTES_FULL,
    /** The entry alone takes more bytes than all of the segment may. */
    ENTRY_TOO_LONG,
    /** The heap of a node that holds the segment is nearly full. */
    HEAP_FULL,
    /** The node has taken as much memory off the heap as it may. */
    OFF_HEAP_FULL
  }

  private static final Shortage[] SHORTAGES = Shortage.values();

  /** Creates a refusal for something that the primary has too little of. */
  public WriteRefusal(Shortage shortage, long used, long limit) {
    this(shortage, used, limit, "");
  }

  /** A refusal since the heap of a node is full, or would be. */
  static WriteRefusal fullHeap(String node, long usedBytes, long limitBytes) {
    return new WriteRefusal(Shortage.HEAP_FULL, usedBytes, limitBytes, node);
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeEnum(shortage);
    out.writeVarint(used);
    out.writeVarint(limit);
    out.writeString(node);
  }

  /** Reads what {@link #write} wrote. */
  public static WriteRefusal read(Input in) {
    return new WriteRefusal(
        in.readEnum(SHORTAGES), in.readVarint(), in.readVarint(), in.readString());
  }
}
