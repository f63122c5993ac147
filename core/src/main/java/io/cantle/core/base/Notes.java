package io.cantle.core.base;

import org.jspecify.annotations.Nullable;

/**
 * Small things a node must not forget when its process ends, by name.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Notes {
  /** Of a node without a store: another life of it is another node, which has nothing to know. */
  Notes NONE =
      new Notes() {
        @Override
        public boolean lasts() {
          return false;
        }

        @Override
        public byte @Nullable [] find(String name) {
          return null;
        }

        @Override
        public void keep(String name, byte[] bytes, Runnable then) {
          then.run();
        }
      };

  /** Whether another life of this node finds what is kept. */
  default boolean lasts() {
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
   * @param then run once the next life of the node will find it, whatever happens, on any thread;
   *     it must not wait. Never run if the store fails
   */
  void keep(String name, byte[] bytes, Runnable then);
}
