/**
 * Races in the containers of a segment: what readers without a lock see beside a writer. Lincheck
 * tries interleavings one by one, jcstress tries them by the million. Each must find the bugs that
 * are planted for it.
 */
@NullMarked
package io.cantle.races;

import org.jspecify.annotations.NullMarked;
