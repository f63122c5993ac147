/**
 * Combines the engine in {@code core} with its network. {@link io.cantle.Grid} finds it through the
 * service loader. It may import the public API, {@code core} and {@code network}. Begin reading
 * with {@link io.cantle.embedded.EmbeddedGrids}, its only type.
 */
package io.cantle.embedded;
