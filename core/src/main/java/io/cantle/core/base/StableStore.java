package io.cantle.core.base;

import org.jspecify.annotations.Nullable;

/**
 * Small things a node must not forget when its process ends, by name.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface StableStore {
  /** Of a node without a store: another life of it is another node, which has nothing to know. */
  StableStore NONE =
      new StableStore() {
        @Override
        public boolean isDurable() {
          return false;
        }

        @Override
        public byte @Nullable [] find(String name) {
          return null;
        }

        @Override
        public void save(String name, byte[] bytes, Runnable onDurable) {
          onDurable.run();
        }
      };

  /** Whether another life of this node finds what is kept. */
  default boolean isDurable() {
    return true;
  }

  /**
   * What was kept last under a name, by this life of the node or an earlier one; null if nothing.
   */
  byte @Nullable [] find(String name);

  /**
   * Counts what else was written in this life, where there is more than notes: the same number
   * means that nothing was.
   */
  default long changes() {
    return 0;
  }

  /**
   * Keeps something in place of what was kept under that name. Never waits; notes are kept in the
   * order of the calls.
   *
   * @param onDurable run once the next life of the node will find it, whatever happens, on any
   *     thread; it must not wait. Never run if the store fails
   */
  void save(String name, byte[] bytes, Runnable onDurable);
}
