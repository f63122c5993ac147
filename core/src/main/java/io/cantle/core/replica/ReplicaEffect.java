package io.cantle.core.replica;

/**
 * What a step of a replica leaves to be done once its lock is released. What the caller of the step
 * is to send is no effect: the step returns it. Nor is what must reach the disk, which is handed
 * over within the step.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface ReplicaEffect {
  /** Tells a listener that the index it waits for is committed, or that it never will be. */
  record TellListener(CommitListener listener, boolean isCommitted) implements ReplicaEffect {}

  /**
   * Has the backups told of a commit index that advanced because something is on disk: no caller of
   * a step knows of it.
   */
  record AnnounceCommit() implements ReplicaEffect {}

  /** Tells the listener of an expiry that there is an entry with a deadline. */
  record TellDeadline(ReplicaExpiry expiry) implements ReplicaEffect {}
}
