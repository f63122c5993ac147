/**
 * The segmented store: the entries of many caches, by segment, over one log. It finds the newest
 * version of a key, scans a segment in order, and keeps the files short. Begin reading at {@link
 * io.cantle.store.segment.SegmentStore}, the interface of the package.
 *
 * <p>An entry takes this way. It becomes a record of the log; once that is acknowledged, its
 * location is in the {@code SlotTable} of its segment. When the log has grown, {@code Compaction}
 * copies the live records into a run, a file sorted by segment, and {@code CompactionScheduler}
 * publishes the run by a {@code Manifest} in the log. A {@code StoreScan} walks the slot table,
 * which has the order of the runs. An {@code IndexSnapshot} is the index written to a file. {@code
 * StoreRecovery} reads it and applies what came later.
 *
 * <p>The package may import the other packages of the store and no more. The file formats are in
 * {@code docs/formats}, the reasons are in {@code docs/decisions/store.md}.
 *
 * <p><b>Threading:</b> each type says which. A store has one thread besides those of its log, made
 * by the factory it is opened with. Locks are taken in this order: the one of {@code
 * CompactionScheduler}, then one segment's.
 */
package io.cantle.store.segment;
