package io.cantle.simulation.walk;

import java.util.BitSet;
import java.util.UUID;

/**
 * What a node has still to have merged.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 *
 * @param segment of which segment, counted over all caches
 * @param grid the grid it was a copy in
 * @param epoch the epoch it was in there
 * @param writes what it has
 */
record OrphanedWrites(int segment, UUID grid, int epoch, BitSet writes) {}
