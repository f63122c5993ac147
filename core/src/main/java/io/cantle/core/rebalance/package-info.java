/**
 * Moves segments: brings the writers of a segment into a new epoch, and fetches to a joining owner
 * what it has to hold.
 *
 * <p><b>Threading:</b> messages are handled without waiting; each transfer runs on a virtual
 * thread, a few at a time.
 */
package io.cantle.core.rebalance;
