/**
 * The driver that runs the workloads on Hazelcast.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.Driver} says.
 */
@NullMarked
package io.cantle.bench.hazelcast;

import org.jspecify.annotations.NullMarked;
