/**
 * The word {@code recover}: has a stopped node go on without others that are gone for good.
 *
 * <p><b>Threading:</b> the main thread.
 */
@NullMarked
package io.cantle.cli.recover;

import org.jspecify.annotations.NullMarked;
