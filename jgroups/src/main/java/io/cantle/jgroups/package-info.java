/**
 * The {@link io.cantle.core.transport.Transport} on JGroups. JGroups provides discovery,
 * membership, failure detection and reliable messages. This package configures it, checks
 * everything that arrives, and keeps its threads from waiting. It is the only package that may
 * import {@code org.jgroups}; of the core it may import {@code transport} and {@code base}. Begin
 * reading with {@link io.cantle.jgroups.JGroupsTransport} and {@link
 * io.cantle.jgroups.ProtocolStack}.
 *
 * <p><b>Threading:</b> JGroups reads each connection with a thread of its own, and messages are
 * passed up on that thread. No thread of the transport ever waits for a network write, see {@link
 * io.cantle.jgroups.ChannelSocket}; application threads do. Views are passed up on one thread.
 */
package io.cantle.jgroups;
