/**
 * This node's replicas of segments: entries, uncommitted writes, the results of commands, and the
 * rules by which a replica takes part in an epoch. A replica is passive: it is called, and returns
 * what is to be sent; packages above do the sending. This package may import {@code call}, {@code
 * topology} and the packages below it, but not {@code scan} or anything above. Begin reading with
 * {@link io.cantle.core.replica.Replica}.
 *
 * <p><b>Threading:</b> each replica is guarded by its own lock; nothing is sent and nothing waits
 * while it is held. Reads of single keys take no lock.
 */
package io.cantle.core.replica;
