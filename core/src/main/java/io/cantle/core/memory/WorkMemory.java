package io.cantle.core.memory;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The memory that the work of one node may take at once: a share of the heap, divided into an
 * account for each {@link MemoryUse}. The rest of the heap is for entries, and for the program that
 * embeds the node.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class WorkMemory {
  private final Map<MemoryUse, MemoryAccount> accounts = new EnumMap<>(MemoryUse.class);

  /**
   * Creates a budget of which nothing is reserved.
   *
   * @param heapBytes the maximum size of the heap in bytes
   */
  public WorkMemory(long heapBytes) {
    for (MemoryUse use : MemoryUse.values()) {
      accounts.put(use, new MemoryAccount(use.share(heapBytes)));
    }
  }

  /** Returns the bytes that are reserved in all accounts. */
  long reservedBytes() {
    return accounts.values().stream().mapToLong(MemoryAccount::reservedBytes).sum();
  }

  /** Returns the account of a use. */
  public MemoryAccount account(MemoryUse use) {
    return Objects.requireNonNull(accounts.get(use), () -> "there is no memory account for " + use);
  }
}
