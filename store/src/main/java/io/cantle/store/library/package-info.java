/**
 * The append log as a library, for programs that have no grid: bytes in, bytes out. Begin with
 * {@link io.cantle.store.library.ByteLog}; {@code docs/guide/log-library.md} shows how to use it.
 *
 * <p>Here, and not in the log itself, threads are started and the system's clock is read.
 *
 * <p><b>Threading:</b> each type says which.
 */
package io.cantle.store.library;
