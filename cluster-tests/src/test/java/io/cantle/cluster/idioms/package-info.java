/**
 * Ordinary code over a map, its views and its streams. Templates in {@code src/test/template} are
 * compiled twice, against {@code Cache} and against {@code ConcurrentMap}, so that overloads are
 * chosen by each of them.
 */
@NullMarked
package io.cantle.cluster.idioms;

import org.jspecify.annotations.NullMarked;
