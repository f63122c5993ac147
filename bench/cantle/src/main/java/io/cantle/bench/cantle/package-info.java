/**
 * The workloads on Cantle.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.Driver} says.
 */
@NullMarked
package io.cantle.bench.cantle;

import org.jspecify.annotations.NullMarked;
