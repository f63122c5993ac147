/**
 * The network of a grid: the transport port on Netty, which finds other nodes and tells which are
 * present. It may import {@code core.base} and {@code core.transport}. Begin reading with {@link
 * io.cantle.network.NettyTransport}, then {@link io.cantle.network.PeerTable}.
 *
 * <p><b>Threading:</b> frames are read and written on event loops; one of them is the control
 * thread, which alone changes what is known of peers. Senders come on any thread.
 */
package io.cantle.network;
