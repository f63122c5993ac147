package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What waits for a peer that takes nothing. */
class PendingBytesTest {
  private static final int LIMIT_BYTES = 1_000;

  private final InetSocketAddress place =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private final Member peer = new Member(new UUID(0, 2), "peer");

  private static Output message(int length) {
    Output message = new Output(length);
    message.write(new byte[length]);
    return message;
  }

  @Test
  void oneLongMessageIsSentAndThePeerIsGivenUpWithTheNext() {
    EmbeddedChannel channel = new EmbeddedChannel(new Silence());
    channel.config().setMessageSizeEstimator(Frame.SIZE_ESTIMATOR);
    PeerLink link =
        new PeerLink(new Member(new UUID(0, 1), "self"), peer, place, () -> LIMIT_BYTES);
    PeerConnection connection =
        new PeerConnection(channel, new Opening("grid", peer, Lane.DATA, place), false);
    link.add(connection);
    link.send(message(10 * LIMIT_BYTES), 0);
    assertThat(connection.isOpen()).isTrue();
    link.send(message(1), 0);
    assertThat(connection.isOpen()).isFalse();
  }

  /** Sends nothing that was written. */
  private static final class Silence extends ChannelOutboundHandlerAdapter {
    @Override
    public void flush(ChannelHandlerContext context) {}
  }
}
