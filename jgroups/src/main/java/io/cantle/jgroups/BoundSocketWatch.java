package io.cantle.jgroups;

import java.net.InetAddress;
import org.jgroups.blocks.cs.NioServer;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_SOCK2;

/**
 * FD_SOCK2 whose outgoing connections come from the bind address too. The original leaves their
 * source to the kernel, which takes the interface's first address: no rule about a node's address,
 * be it of a firewall or of a test that cuts the network, would meet them.
 *
 * <p>Nor does it wait for long whether its next neighbour is there: until then it tells nobody that
 * the one before has closed its socket. Of two that are killed together the second may still take
 * the connection and never answer.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BoundSocketWatch extends FD_SOCK2 {
  private static final int ANSWER_MILLIS = 250;

  private final InetAddress address;

  BoundSocketWatch(InetAddress address) {
    this.address = address;
    setId(ClassConfigurator.getProtocolId(FD_SOCK2.class));
    setBindAddress(address);
    connect_timeout = ANSWER_MILLIS;
  }

  @Override
  protected NioServer createServer(int[] ports) {
    NioServer server = super.createServer(ports);
    server.clientBindAddress(address);
    return server;
  }
}
