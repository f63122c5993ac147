/**
 * Crashes of stores and logs: real ones of real file systems, where the power is cut, a process is
 * killed, or a call of the system fails, and simulated ones by the thousand. A writer is a process
 * of its own, and says what it begins and what was acknowledged through a pipe; when it has ended,
 * however it did, all of that must be there.
 *
 * <p><b>Threading:</b> the conductor works on the main thread; one more thread hears a writer. A
 * writer has threads that write.
 */
@NullMarked
package io.cantle.crash;

import org.jspecify.annotations.NullMarked;
