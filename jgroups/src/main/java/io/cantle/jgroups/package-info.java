/**
 * {@link io.cantle.core.transport.Transport} on JGroups: discovery, membership, failure detection
 * and reliable messages come from there; what is here configures it and keeps its threads from
 * waiting.
 *
 * <p>Threads: JGroups reads each connection with a thread of its own, and messages are handed up on
 * that thread. No thread of the transport ever waits for a network write, see {@link
 * io.cantle.jgroups.ChannelSocket}; threads of the application do. Views are handed up on one
 * thread.
 */
package io.cantle.jgroups;
