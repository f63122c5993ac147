/**
 * The entries of the segments that a node owns, and the ordered walk over them that every scan
 * uses. It may import {@code codec}, {@code segment}, {@code memory} and {@code base}. It knows
 * bytes and versions but not their meaning: the packages above decide which write may be applied
 * and which node owns a segment. They use a segment through the port, {@link
 * io.cantle.core.container.Container} and {@link io.cantle.core.container.Entry}. The designs of
 * both containers are described in {@link io.cantle.core.container.HeapContainer} and {@link
 * io.cantle.core.container.OffHeapContainer}.
 *
 * <p><b>Threading:</b> reading takes no lock of a segment, and waits for no more than one change.
 * Writing to a segment's entries is guarded by the lock of that segment, which the caller holds.
 * Lock order: a thread holds the lock of at most one segment at a time, takes it last, and waits
 * for nothing while it holds it.
 */
package io.cantle.core.container;
