/**
 * Tests of real nodes over the network, through the public API only. Several nodes run in this
 * process, and some in processes of their own that are killed. There is no clock to advance here,
 * so what takes time is awaited with a deadline. Begin with {@link io.cantle.cluster.TestGrid}.
 *
 * <p><b>Threading:</b> the test's thread, and the threads of {@link
 * io.cantle.cluster.BackgroundWriters} and {@link io.cantle.cluster.BackgroundReaders}.
 */
@NullMarked
package io.cantle.cluster;

import org.jspecify.annotations.NullMarked;
