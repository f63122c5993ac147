/**
 * Child processes that run nodes: how they are started, directed and ended, and the lines between
 * them and the process that directs them. Also the ports on which nodes listen, and the output of
 * tools of the system. The package knows nothing of what is tested, and imports none of it. Begin
 * with {@link io.cantle.chaos.process.ChildProcess}.
 *
 * <p><b>Threading:</b> the directing process has one thread for each child, which reads the child's
 * output. A child executes each order on a virtual thread of its own.
 */
@NullMarked
package io.cantle.chaos.process;

import org.jspecify.annotations.NullMarked;
