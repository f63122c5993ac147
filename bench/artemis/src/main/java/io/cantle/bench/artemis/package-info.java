/**
 * The driver of the Artemis journal, on NIO as its broker sets it up by default. It imports Artemis
 * and the port {@link io.cantle.bench.log.LogDriver}.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.log.LogDriver} says.
 */
@NullMarked
package io.cantle.bench.artemis;

import org.jspecify.annotations.NullMarked;
