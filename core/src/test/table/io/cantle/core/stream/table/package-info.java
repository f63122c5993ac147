/**
 * Pipelines that use all operations of the JDK's streams, and the rules by which their results are
 * compared. The tests of streams over a list and those over real grids run the same table.
 */
@NullMarked
package io.cantle.core.stream.table;

import org.jspecify.annotations.NullMarked;
