/**
 * Cantle as its users see it: a {@link io.cantle.Grid} of nodes holds {@link io.cantle.Cache}s, and
 * a cache is a {@link java.util.concurrent.ConcurrentMap} whose entries are spread over the nodes.
 *
 * <p><b>Threading:</b> everything here may be used by any thread unless it says otherwise; streams
 * and iterators belong to the thread that made them. Calls may wait, never longer than {@link
 * io.cantle.GridConfig#timeout()}.
 */
package io.cantle;
