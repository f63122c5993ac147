/**
 * Wiring: builds every part of a node by constructor, starts them in order, closes them in reverse;
 * and what users hold in their hands, the grid and its caches.
 *
 * <p><b>Threading:</b> any thread. The threads, timers and randomness of a real node are made here
 * and nowhere else.
 */
package io.cantle.core.node;
