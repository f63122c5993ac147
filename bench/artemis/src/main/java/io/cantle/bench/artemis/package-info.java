/**
 * The journal of Artemis, on NIO as its broker sets it by default.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.log.LogDriver} says.
 */
@NullMarked
package io.cantle.bench.artemis;

import org.jspecify.annotations.NullMarked;
