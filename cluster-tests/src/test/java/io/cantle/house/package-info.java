/**
 * The checks of the rules of the house: which package may import which, which code may start
 * threads or read the time, and what no source file may contain. Every rule has a planted violation
 * that it must find. Begin with {@link io.cantle.house.ArchitectureTest} and {@link
 * io.cantle.house.TidyTest}.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
@NullMarked
package io.cantle.house;

import org.jspecify.annotations.NullMarked;
