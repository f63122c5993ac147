package io.cantle.core.memory;

/**
 * What the memory of a node's work is for. Each use has an account of its own, because a use must
 * not wait for another one: if what a node has asked for and what it makes for others came out of
 * one account, two nodes that scan each other's entries could wait for each other for ever.
 *
 * <p><b>Threading:</b> constants.
 */
public enum MemoryUse {
  /** Objects that owners keep beside the bytes of entries. */
  DECODED_OBJECTS(8),

  /** What scans of this node have asked owners for, and what has come and waits for its reader. */
  SCAN_BUFFERS(3),

  /** What this node makes as an owner for scans, until it has left. */
  SCAN_ANSWERS(2),

  /** What this node makes for joiners of segments, until it has left. */
  TRANSFERS(1);

  /** How many parts the heap is divided into. */
  static final int PARTS_OF_HEAP = 32;

  private final int parts;

  MemoryUse(int parts) {
    this.parts = parts;
  }

  /** How many bytes this use may take of a heap. */
  long share(long heapBytes) {
    return Math.max(1, heapBytes / PARTS_OF_HEAP * parts);
  }
}
