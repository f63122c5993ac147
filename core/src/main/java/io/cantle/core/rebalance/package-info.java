/**
 * Moves segments between nodes: it brings the writers of a segment into a new epoch, and transfers
 * to a joining owner the entries it has to hold. This package may import {@code replica} and the
 * packages below it, but not {@code operation} or anything above. Begin reading with {@link
 * io.cantle.core.rebalance.EpochRecovery}, then {@link io.cantle.core.rebalance.StateTransfer}.
 *
 * <p><b>Threading:</b> messages are handled without waiting; each transfer runs on a virtual
 * thread, a few at a time.
 */
package io.cantle.core.rebalance;
