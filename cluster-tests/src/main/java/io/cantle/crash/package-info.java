/**
 * Crashes of stores and logs. Real ones happen on real file systems, where the power is cut, a
 * process is killed, or a system call fails; simulated ones run by the thousand. A writer is a
 * process of its own. It reports through a pipe what it begins and what was acknowledged. When it
 * has ended, however it did, all that was acknowledged must be there. Begin with {@link
 * io.cantle.crash.CrashCampaign}.
 *
 * <p><b>Threading:</b> the conductor works on the main thread; one more thread reads the output of
 * a writer. A writer has threads that write.
 */
@NullMarked
package io.cantle.crash;

import org.jspecify.annotations.NullMarked;
