/**
 * The program and the drivers of {@code bench local}: maps of one process, each in a JVM of its
 * own.
 *
 * <p><b>Threading:</b> each type says which.
 */
package io.cantle.bench.local;
