/**
 * The rules of the house, checked: which package may import which, who may start threads or read
 * the time, and what no source file may hold. Every rule has a planted violation that it must find.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
@NullMarked
package io.cantle.house;

import org.jspecify.annotations.NullMarked;
