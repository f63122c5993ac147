/**
 * The loop in which a node calls others until they have answered: when to try again, how long to
 * wait meanwhile, and when to give up. It knows no message. Also how a call finds its cache in the
 * topology, and has it created.
 *
 * <p>Uses {@code topology} and what is below it. A call waits on the thread of its caller.
 */
package io.cantle.core.call;
