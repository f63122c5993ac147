/**
 * The storage of one node: an append log with group commit ({@code log}), and on it an index of
 * entries by segment with compaction ({@code segment}). Bytes go in and bytes come out. It knows
 * neither a cluster nor objects, and may use only the JDK.
 *
 * <p>The clock, the disk and the threads are small ports that the node hands in. So a test that has
 * none of the three can run a store, stop it, and tear a write in the middle. Begin reading at
 * {@link io.cantle.store.segment.SegmentStore} or, for the log alone, at {@link
 * io.cantle.store.log.AppendLog}. {@code library} is the log for programs without a grid; there,
 * threads and clock are the system's.
 *
 * <p><b>Threading:</b> each type says which; threads are made by the factory that the owner hands
 * in.
 */
package io.cantle.store;
