package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.Member;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OpeningTest {
  private static final byte[] IPV4 = {127, 0, 0, 1};
  private static final byte[] IPV6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  private static final String LONGEST_NAME = "n".repeat(TransportSettings.MAX_NAME_BYTES);

  private static Opening opening(String grid, Lane lane, byte[] host) {
    try {
      Member member = new Member(new UUID(1, 2), new UUID(3, 4), LONGEST_NAME);
      return new Opening(
          grid, member, lane, new InetSocketAddress(InetAddress.getByAddress(host), 65_535));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] bytes(Opening opening) {
    return opening.encode().toByteArray();
  }

  @Test
  void isReadAsItWasWritten() {
    for (Lane lane : Lane.ALL) {
      for (byte[] host : new byte[][] {IPV4, IPV6}) {
        Opening opening = opening(LONGEST_NAME, lane, host);
        byte[] bytes = bytes(opening);
        Opening read = Opening.decode(new Input(bytes));
        assertThat(read).isEqualTo(opening);
        assertThat(read.member().nodeId()).isEqualTo(opening.member().nodeId());
        assertThat(read.member().name()).isEqualTo(LONGEST_NAME);
        assertThat(bytes.length).isLessThanOrEqualTo(Opening.MAX_BYTES);
      }
    }
  }

  @Test
  void truncatedOrLongerOneIsRefused() {
    byte[] bytes = bytes(opening("grid", Lane.DATA, IPV6));
    for (int length = 0; length < bytes.length; length++) {
      Input cut = new Input(bytes, 0, length);
      assertThatThrownBy(() -> Opening.decode(cut)).isInstanceOf(MalformedException.class);
    }
    Input longer = new Input(Arrays.copyOf(bytes, bytes.length + 1));
    assertThatThrownBy(() -> Opening.decode(longer)).isInstanceOf(MalformedException.class);
  }

  @Test
  void eachChangedByteIsReadOrRefused() {
    byte[] bytes = bytes(opening("grid", Lane.URGENT, IPV4));
    for (int index = 0; index < bytes.length; index++) {
      for (int value = 0; value < 256; value++) {
        byte[] changed = bytes.clone();
        changed[index] = (byte) value;
        readOrRefuse(changed);
      }
    }
  }

  private static void readOrRefuse(byte[] bytes) {
    try {
      assertThat(Opening.decode(new Input(bytes)).gridName()).hasSizeLessThanOrEqualTo(64);
    } catch (MalformedException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }

  @Test
  void longGridNameIsRefused() {
    Input in = new Input(bytes(opening(LONGEST_NAME + "n", Lane.DATA, IPV6)));
    assertThatThrownBy(() -> Opening.decode(in)).isInstanceOf(MalformedException.class);
  }
}
