/**
 * Some pipelines over all operations of the JDK's streams, and what they are compared by: the tests
 * of streams over a list and those over real grids run the same table.
 */
@NullMarked
package io.cantle.core.stream.table;

import org.jspecify.annotations.NullMarked;
