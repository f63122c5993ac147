package io.cantle.core.replica;

/**
 * Waits for a write to be committed, to answer its caller for example.
 *
 * <p><b>Threading:</b> called on any thread, without the lock of the replica; must not wait.
 */
@FunctionalInterface
public interface CommitWaiter {
  /** Called once: the write is committed, or it will never be in its epoch. */
  void onSettled(boolean isCommitted);
}
