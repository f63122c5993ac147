package io.cantle.simulation.walk;

import java.util.BitSet;
import java.util.UUID;

/**
 * The writes that a node still has to get merged.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 *
 * @param segment the segment, counted over all caches
 * @param grid the grid in which it was a copy
 * @param epoch the epoch in which it was there
 * @param writes what it has
 */
record OrphanedWrites(int segment, UUID grid, int epoch, BitSet writes) {}
