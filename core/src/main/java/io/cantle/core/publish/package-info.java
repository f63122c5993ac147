/**
 * Drives scans over the whole cluster: pulls, cursors, retries, exactly once through rehash. Owners
 * keep nothing between two pulls; everything that is remembered is remembered by the node that
 * asks.
 *
 * <p><b>Threading:</b> a scan belongs to the thread that began it; the owners' halves run on
 * virtual threads of the node.
 */
package io.cantle.core.publish;
