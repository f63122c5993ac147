/**
 * Runs scans over a whole cache: iterations, reductions, counts, publishers and pages. The calling
 * node asks the owners of the segments and remembers a cursor for each segment, so every entry
 * counts exactly once while segments move. Owners keep nothing between two requests.
 *
 * <p>This package imports {@code operation} and packages below it. It knows nothing of streams: a
 * task is bytes to it, which a {@link io.cantle.core.publish.TaskInterpreter} reads. Begin with
 * {@link io.cantle.core.publish.CacheScanner}, then read {@code ScanClient} for the calling node
 * and {@link io.cantle.core.publish.ScanServer} for the owners.
 *
 * <p><b>Threading:</b> a scan belongs to the thread that began it; the owner side runs on virtual
 * threads of the node.
 */
package io.cantle.core.publish;
