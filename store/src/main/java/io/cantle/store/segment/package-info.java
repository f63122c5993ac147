/**
 * The segmented store: entries of many caches by segment over one log. {@link
 * io.cantle.store.segment.SegmentStore} is what is used of it.
 *
 * <p>An entry's way: it becomes a record of the log, and once that is acknowledged its location is
 * in the {@code SlotTable} of its segment. When the log has grown, {@code Compaction} copies what
 * is wanted into a run, a file sorted by segment, and {@code Upkeep} publishes that by a {@code
 * Manifest} in the log. A {@code Scan} walks the table, which is in the order of the runs. A {@code
 * Snapshot} is the index written down; {@code Opening} reads it and puts on top what came later.
 *
 * <p>How it looks on the disk is in {@code docs/formats}, why it is so in {@code
 * docs/decisions/store.md}.
 *
 * <p><b>Threading:</b> each type says which. One thread belongs to a store besides those of its
 * log, made by the factory it is opened with. Locks, in their order: {@code Upkeep}'s, one
 * segment's.
 */
package io.cantle.store.segment;
