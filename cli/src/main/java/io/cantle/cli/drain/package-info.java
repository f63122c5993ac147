/**
 * The word drain: how much waits anywhere for a subscriber that is slower than the grid. Nodes are
 * started in this process, so that the heap has all there is.
 *
 * <p>Uses the api of the grid, and nothing of what is behind it.
 *
 * <p><b>Threading:</b> the main thread; what is published comes on a thread of a node.
 */
package io.cantle.cli.drain;
