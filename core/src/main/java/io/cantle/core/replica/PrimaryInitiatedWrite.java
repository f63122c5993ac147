package io.cantle.core.replica;

/**
 * A write that the primary made itself. It is sent to other writers, and no caller waits for it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param committed the commit index to send with it
 * @param state the state of the replica when the write was made
 * @param route where it is sent
 */
public record PrimaryInitiatedWrite(
    OrderedWrite write, long committed, ReplicaState state, WriteRoute route) {}
