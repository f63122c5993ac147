package io.cantle.core.replica;

/**
 * A write the primary has made of itself: to be sent to the others, and nobody waits for it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param committed how far all had come, to be told with it
 * @param state of the replica when it was made
 */
public record PrimaryInitiatedWrite(OrderedWrite write, long committed, ReplicaState state) {}
