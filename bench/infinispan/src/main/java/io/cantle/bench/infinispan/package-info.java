/**
 * The driver that runs the workloads on Infinispan.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.Driver} says.
 */
@NullMarked
package io.cantle.bench.infinispan;

import org.jspecify.annotations.NullMarked;
