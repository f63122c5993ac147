/**
 * The append log of one node and, on it, the index by segment, compaction and group commit: bytes
 * in, bytes out. It knows no cluster and no object, and may use the JDK only. Its clock, its disk
 * and its threads are small ports handed in by the node, so a store can be run, stopped and torn in
 * the middle of a write by a test that has none of the three.
 *
 * <p><b>Threading:</b> each type says which; threads are made by what the owner hands in.
 */
package io.cantle.store;
