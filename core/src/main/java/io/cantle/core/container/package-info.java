/**
 * The entries of the segments a node owns, and the walk over them that every scan is made of.
 *
 * <p>Uses {@code segment} and {@code base}. Knows bytes and versions, not what they mean: which
 * write may be applied, who owns what and how objects look are the business of the packages above.
 *
 * <p><b>Threading:</b> reading takes no lock and never waits. Writing to a segment's entries is
 * guarded by the lock of that segment, which the caller holds. Lock order: a thread holds the lock
 * of at most one segment at a time, takes it last, and waits for nothing while it holds it.
 */
package io.cantle.core.container;
