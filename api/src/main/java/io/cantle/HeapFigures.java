package io.cantle;

import java.util.List;

/**
 * How full the heap of a node is. Garbage does not count: what is in use is what collections leave,
 * and what was written since.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param usedBytes the bytes that entries and the rest of the program have in use
 * @param entryBytes how many of these are entries, with their keys, in all grids of the process
 * @param limitBytes how many bytes may be in use until writes that need memory are refused: seven
 *     eighths of the heap
 * @param isFull whether such writes are refused here, with a {@link CacheFullException}
 * @param refusedWrites how many were refused by nodes of this process, also because the heap of
 *     another node was full
 * @param fullMembers the names of the other members whose heaps are full
 */
public record HeapFigures(
    long usedBytes,
    long entryBytes,
    long limitBytes,
    boolean isFull,
    long refusedWrites,
    List<String> fullMembers) {
  /** Copies the names. */
  public HeapFigures {
    fullMembers = List.copyOf(fullMembers);
  }
}
