/**
 * Single-key and bulk operations: what each does at the primary, how its writes reach the others,
 * and how the calling node gets its answer. A write takes three steps on the network: to the
 * primary, on to the other writers, and from each of these to the caller. What takes code of the
 * user's runs at the primary too, on a thread of its own. What has lived its time the primary ends
 * here as well, before it looks at its entries for anybody.
 *
 * <p><b>Threading:</b> callers wait on their own threads; messages are handled without waiting,
 * bulk ones on virtual threads.
 */
package io.cantle.core.operation;
