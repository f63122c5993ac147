package io.cantle.core.memory;

import java.util.EnumMap;
import java.util.Map;

/**
 * The memory that the work of one node may take at once: a share of the heap, divided into an
 * account for each {@link MemoryUse}. The rest of the heap is for entries, and for the program that
 * the node is part of.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class MemoryBudget {
  private final Map<MemoryUse, MemoryAccount> accounts = new EnumMap<>(MemoryUse.class);

  /**
   * A budget of which nothing is reserved.
   *
   * @param heapBytes how large the heap may become
   */
  public MemoryBudget(long heapBytes) {
    for (MemoryUse use : MemoryUse.values()) {
      accounts.put(use, new MemoryAccount(use.share(heapBytes)));
    }
  }

  /** The account of a use. */
  public MemoryAccount account(MemoryUse use) {
    MemoryAccount account = accounts.get(use);
    if (account == null) {
      throw new IllegalStateException("no account of " + use);
    }
    return account;
  }
}
