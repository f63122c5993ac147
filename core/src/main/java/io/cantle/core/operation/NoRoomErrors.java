package io.cantle.core.operation;

import io.cantle.CacheFullException;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.transport.Member;

/**
 * What callers are told when there is no room for a write. Entries can still be read and removed.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class NoRoomErrors {
  private NoRoomErrors() {}

  /** The exception for a refusal of a primary. */
  static GridException exception(WriteRefusal refusal, Member primary) {
    return switch (refusal.shortage()) {
      case DISK_FULL ->
          new NotAvailableException(
              "the disk of node "
                  + primary
                  + " is full, so nothing is written to the caches it keeps there: free disk"
                  + " space; the write was not made, and trying again is safe");
      case ENTRIES_FULL ->
          new CacheFullException(
              ("the segment of the key has %s entries of the %s that are its share on node %s, and"
                      + " the cache evicts none: remove entries, or have a cache with higher"
                      + " CacheConfig.maxEntries or with whenFull EVICT; the write was not made")
                  .formatted(refusal.used(), refusal.limit(), primary));
      case BYTES_FULL ->
          new CacheFullException(
              ("the entries of the segment of the key take %s bytes of the %s that are its share on"
                      + " node %s, and the cache evicts none: remove entries, or have a cache with"
                      + " higher CacheConfig.maxBytes or memoryBudget, or with whenFull EVICT; the"
                      + " write was not made")
                  .formatted(refusal.used(), refusal.limit(), primary));
      case ENTRY_TOO_LONG ->
          new CacheFullException(
              ("an entry of %s bytes is longer than the %s bytes that are the share of its segment on"
                      + " node %s: have a cache with higher CacheConfig.maxBytes or memoryBudget, or"
                      + " with fewer CacheConfig.segments; the write was not made")
                  .formatted(refusal.used(), refusal.limit(), primary));
      case HEAP_FULL ->
          new CacheFullException(
              ("the heap of node %s is nearly full: %s MiB of the %s MiB that may be taken are in"
                      + " use; remove entries, have caches with CacheConfig.maxBytes, raise -Xmx or"
                      + " have more nodes; the write was not made")
                  .formatted(
                      refusal.node().isEmpty() ? primary.name() : refusal.node(),
                      refusal.used() >> 20,
                      refusal.limit() >> 20));
      case OFF_HEAP_FULL ->
          new CacheFullException(
              ("node %s has taken %s bytes off the heap of the %s that it may: remove entries of"
                      + " caches with CacheConfig.container OFF_HEAP, add nodes, or start the node"
                      + " with higher GridConfig.offHeapMemory; the write was not made")
                  .formatted(primary, refusal.used(), refusal.limit()));
    };
  }
}
