/**
 * Cantle as its users see it: a {@link io.cantle.Grid} of nodes holds {@link io.cantle.Cache}s, and
 * a cache is a {@link java.util.concurrent.ConcurrentMap} whose entries are spread over the nodes.
 *
 * <p>Begin with {@link io.cantle.Grid} and {@link io.cantle.Cache}, then {@link
 * io.cantle.CacheStream}. Settings are in {@link io.cantle.GridConfig} and {@link
 * io.cantle.CacheConfig}; expected failures are {@link io.cantle.GridException}s. The package holds
 * interfaces, records and exceptions. The engine behind them is found through {@link
 * io.cantle.spi.GridProvider}, and nothing here may import it or anything else but JSpecify.
 *
 * <p><b>Threading:</b> everything here may be used by any thread unless it says otherwise. Streams
 * and iterators belong to the thread that made them. A call may wait, but no longer than {@link
 * io.cantle.GridConfig#timeout}.
 */
package io.cantle;
