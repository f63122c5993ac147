package io.cantle.core.replica;

/**
 * Is told when a write is committed, to answer its caller for example.
 *
 * <p><b>Threading:</b> called on any thread, without the lock of the replica; must not wait.
 */
@FunctionalInterface
public interface CommitListener {
  /** Called once: the write is committed, or it will never be in its epoch. */
  void onSettled(boolean isCommitted);
}
