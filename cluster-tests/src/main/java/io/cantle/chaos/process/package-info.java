/**
 * Child processes that run nodes: how they are started, told what to do and ended, and the lines
 * that go between them and the process that directs them. Knows nothing of what is tested.
 *
 * <p><b>Threading:</b> the directing process has one thread for each child that reads what the
 * child says; a child obeys each order on a virtual thread of its own.
 */
@NullMarked
package io.cantle.chaos.process;

import org.jspecify.annotations.NullMarked;
