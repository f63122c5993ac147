/**
 * The scan engine: pulls, reductions and counts over the segments of a cache. The asker remembers a
 * cursor for each segment, so every entry counts exactly once while segments move. Owners keep
 * nothing between two requests.
 *
 * <p>This package imports {@code replica} and packages below it. It knows neither streams nor
 * transfers: a task is bytes to it, which a {@link io.cantle.core.scan.TaskInterpreter} reads.
 * Begin with {@code ScanClient} for the asker and {@link io.cantle.core.scan.ScanServer} for the
 * owners.
 *
 * <p><b>Threading:</b> a scan belongs to the thread that began it; the owner side runs on virtual
 * threads of the node.
 */
package io.cantle.core.scan;
