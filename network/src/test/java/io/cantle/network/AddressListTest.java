package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressListTest {
  private static final byte[] IPV6_LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private static final InetSocketAddress SOMEWHERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);

  private static AddressList read(byte[] bytes) {
    return AddressList.decode(new Input(bytes));
  }

  @Test
  void isReadAsItWasWritten() throws UnknownHostException {
    AddressList list =
        new AddressList(
            List.of(
                SOMEWHERE, new InetSocketAddress(InetAddress.getByAddress(IPV6_LOOPBACK), 65_535)));
    assertThat(read(list.encode().toByteArray())).isEqualTo(list);
    assertThat(read(new AddressList(List.of()).encode().toByteArray()).addresses()).isEmpty();
  }

  @Test
  void truncatedOneIsRefused() {
    byte[] bytes = new AddressList(List.of(SOMEWHERE, SOMEWHERE)).encode().toByteArray();
    for (int length = 0; length < bytes.length; length++) {
      Input cut = new Input(bytes, 0, length);
      assertThatThrownBy(() -> AddressList.decode(cut)).isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void bytesBehindTheListAreRefused() {
    byte[] bytes = {0, 0};
    assertThatThrownBy(() -> read(bytes)).isInstanceOf(MalformedException.class);
  }

  @Test
  void addressOfOtherLengthAndPortAboveTheHighestAreRefused() {
    byte[] fiveBytes = {1, 5, 1, 2, 3, 4, 5, 7};
    assertThatThrownBy(() -> read(fiveBytes)).isInstanceOf(MalformedException.class);
    Output out = new Output(16);
    out.writeVarint(1);
    out.writeBlob(new byte[4]);
    out.writeVarint(65_536);
    assertThatThrownBy(() -> read(out.toByteArray())).isInstanceOf(MalformedException.class);
  }

  @Test
  void moreThanTheLimitAreRefused() {
    int tooMany = AddressList.MAX_ADDRESSES + 1;
    assertThatThrownBy(() -> new AddressList(Collections.nCopies(tooMany, SOMEWHERE)))
        .isInstanceOf(IllegalArgumentException.class);
    Output out = new Output(8 * tooMany);
    out.writeList(
        Collections.nCopies(tooMany, SOMEWHERE), one -> AddressList.writeAddress(out, one));
    assertThatThrownBy(() -> read(out.toByteArray())).isInstanceOf(MalformedException.class);
  }
}
