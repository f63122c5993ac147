package io.cantle.core.store;

import io.cantle.core.container.Entry;

/**
 * The place of one segment's copy in a store. What is called first counts first; nothing is certain
 * to be kept before something handed to {@link #then} afterwards has run.
 *
 * <p><b>Threading:</b> any thread, one at a time; nothing waits.
 */
public interface Shelf {
  /** Whether so much is on its way to the store that no more should be written for now. */
  boolean isFull();

  /** Keeps a version of a key, a removed one too, unless a later one is kept. */
  void put(Entry entry);

  /** A removed key need not be remembered any more: nothing older will come for it. */
  void purge(Entry removed);

  /**
   * Says of the copy what its entries do not, in place of what was said before in an earlier epoch
   * or at a lower index.
   */
  void label(Label label, int epoch, long index);

  /** Nothing of the copy counts any more: another one begins. */
  void drop();

  /**
   * Has something run once everything called before is on disk, and not before this call returns.
   * It must not wait. Never run if the store fails.
   */
  void then(Runnable task);
}
