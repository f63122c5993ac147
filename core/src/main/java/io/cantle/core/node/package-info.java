/**
 * Builds every part of a node by constructor, starts the parts in order and closes them in reverse;
 * and contains the grid and the caches that users call. As the top package it may import every
 * other package of {@code core}, and none may import it. Begin reading with {@link
 * io.cantle.core.node.Node}, then {@code NodeGrid} and {@code CacheView}.
 *
 * <p><b>Threading:</b> any thread. The threads, timers and randomness of a real node are created
 * here and nowhere else.
 */
package io.cantle.core.node;
