package io.cantle.core.memory;

/**
 * The uses of the memory of a node's work. Each use has an account of its own, because one use must
 * not wait for another. If a node's requests and its answers to other nodes shared an account, two
 * nodes that scan each other's entries could wait for each other for ever.
 *
 * <p><b>Threading:</b> constants.
 */
public enum MemoryUse {
  /** Decoded objects that owners cache beside the bytes of entries. */
  DECODED_OBJECTS(8),

  /**
   * What scans of this node have requested from owners, and what has arrived but was not read yet.
   */
  SCAN_BUFFERS(3),

  /** Answers to scans that this node makes as an owner, until they have been sent. */
  SCAN_ANSWERS(2),

  /** Data that this node sends to joiners of segments, until it has been sent. */
  TRANSFERS(1);

  /** The number of parts into which the heap is divided. */
  static final int PARTS_OF_HEAP = 32;

  private final int parts;

  MemoryUse(int parts) {
    this.parts = parts;
  }

  /** The number of bytes this use may take of a heap. */
  long share(long heapBytes) {
    return Math.max(1, heapBytes / PARTS_OF_HEAP * parts);
  }
}
