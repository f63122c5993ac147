/**
 * One node's copies of segments: entries, the writes not yet known to be everywhere, the results of
 * commands, and the rules by which a copy takes part in an epoch. A {@link
 * io.cantle.core.replica.Replica} is passive: it is told, and says what is to be sent; rooms above
 * do the sending.
 *
 * <p><b>Threading:</b> each replica is guarded by its own lock; nothing is sent and nothing waits
 * while it is held. Reads of single keys take no lock.
 */
package io.cantle.core.replica;
