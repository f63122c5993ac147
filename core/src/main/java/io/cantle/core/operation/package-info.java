/**
 * Operations on single keys and bulk writes: what each does at the primary, how its writes reach
 * the other writers, and how the caller gets its answer. A write takes three network steps: to the
 * primary, on to the other writers, and from each of these to the caller. User code runs at the
 * primary too, on a thread of its own. The primary also ends expired entries here, before it reads
 * entries for a caller. This package may import {@code rebalance}, {@code replica} and the packages
 * below them, and nothing above. Begin reading with {@link
 * io.cantle.core.operation.OperationClient} and {@link io.cantle.core.operation.WriteHandler}.
 *
 * <p><b>Threading:</b> callers wait on their own threads; messages are handled without waiting,
 * bulk ones on virtual threads.
 */
package io.cantle.core.operation;
