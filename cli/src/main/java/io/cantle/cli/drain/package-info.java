/**
 * The command {@code drain}: measures how much is buffered on each node for a subscriber that is
 * slower than the grid. It starts its nodes in this process, so that one heap holds everything.
 *
 * <p>It uses only the public API of the grid. Begin reading with {@code DrainRun}.
 *
 * <p><b>Threading:</b> the main thread; elements are published on a thread of a node.
 */
package io.cantle.cli.drain;
