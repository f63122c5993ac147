/**
 * Real nodes over JGroups, through the public api only: several in this process, and some in
 * processes of their own that are killed. Nothing here has a clock to advance, so what takes its
 * time is awaited with a deadline.
 *
 * <p><b>Threading:</b> the test's thread, and the threads of {@link
 * io.cantle.cluster.BackgroundWriters} and {@link io.cantle.cluster.BackgroundReaders}.
 */
@NullMarked
package io.cantle.cluster;

import org.jspecify.annotations.NullMarked;
