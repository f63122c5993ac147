package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionGateTest {
  private final ConnectionGate gate = new ConnectionGate();
  private final List<Channel> channels = new ArrayList<>();

  private void enter(int count, int host) throws UnknownHostException {
    InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host});
    for (int i = 0; i < count; i++) {
      Channel channel = new EmbeddedChannel();
      channels.add(channel);
      gate.enter(channel, address);
    }
  }

  private List<Integer> closed() {
    List<Integer> closed = new ArrayList<>();
    for (int i = 0; i < channels.size(); i++) {
      if (!channels.get(i).isOpen()) {
        closed.add(i);
      }
    }
    return closed;
  }

  @Test
  void oldestOfAnAddressIsClosedFirst() throws UnknownHostException {
    enter(1, 1);
    enter(ConnectionGate.MAX_PER_ADDRESS, 2);
    assertThat(closed()).isEmpty();
    enter(2, 2);
    assertThat(closed()).containsExactly(1, 2);
    assertThat(gate.count()).isEqualTo(ConnectionGate.MAX_PER_ADDRESS + 1);
  }

  @Test
  void oldestOfAllIsClosedFirst() throws UnknownHostException {
    enter(1, 1);
    enter(ConnectionGate.MAX_PER_ADDRESS, 2);
    enter(ConnectionGate.MAX_IN_ALL - ConnectionGate.MAX_PER_ADDRESS - 1, 3);
    assertThat(closed()).isEmpty();
    enter(1, 4);
    assertThat(closed()).containsExactly(0);
    assertThat(gate.count()).isEqualTo(ConnectionGate.MAX_IN_ALL);
  }

  @Test
  void openedAndClosedConnectionsAreNotCounted() throws UnknownHostException {
    enter(3, 1);
    gate.leave(channels.get(0));
    channels.get(1).close();
    gate.leave(channels.get(1));
    assertThat(gate.count()).isEqualTo(1);
    enter(ConnectionGate.MAX_PER_ADDRESS, 1);
    assertThat(closed()).as("the open one stays").containsExactly(1, 2);
  }
}
