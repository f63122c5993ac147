/**
 * The drivers that run the workloads on Cantle and its append log.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.Driver} says.
 */
@NullMarked
package io.cantle.bench.cantle;

import org.jspecify.annotations.NullMarked;
