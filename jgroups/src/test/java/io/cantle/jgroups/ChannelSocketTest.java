package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.transport.RateLimitedLog;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ChannelSocketTest {
  private boolean isPeerKnown = true;
  private ServerSocket server;
  private ChannelSocket near;
  private Socket far;

  @BeforeEach
  void connect() throws IOException {
    RateLimitedLog log = new RateLimitedLog(System.getLogger("test"), System::nanoTime);
    ChannelSocketProvider sockets =
        new ChannelSocketProvider("test", place -> isPeerKnown, log, error -> {});
    server = sockets.createServerSocket("test");
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    near = (ChannelSocket) sockets.createSocket("test");
    near.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), 1_000);
    byte[] introduction = Stranger.introduction(InetAddress.getLoopbackAddress(), 1);
    near.getOutputStream().write(introduction);
    far = server.accept();
    assertThat(far.getInputStream().readNBytes(introduction.length)).isEqualTo(introduction);
  }

  @AfterEach
  void close() throws IOException {
    near.close();
    far.close();
    server.close();
  }

  @Test
  void takesWhatNobodyReadsAndSendsItOnWhileReading() throws Exception {
    byte[] bytes = new byte[32 << 20];
    new Random(5).nextBytes(bytes);
    near.getOutputStream().write(bytes);
    near.getOutputStream().write(bytes, 0, 1_000);
    Thread reader = Thread.ofPlatform().start(() -> readUntilClosed(near));
    InputStream in = far.getInputStream();
    assertThat(in.readNBytes(bytes.length)).isEqualTo(bytes);
    assertThat(in.readNBytes(1_000)).isEqualTo(java.util.Arrays.copyOf(bytes, 1_000));
    near.awaitRoom(Long.MAX_VALUE);
    near.close();
    reader.join();
  }

  @Test
  void isGivenUpWhenTooMuchWaits() throws Exception {
    byte[] chunk = new byte[1 << 20];
    for (int i = 0; i < (ChannelSocket.HARD_LIMIT_BYTES >> 20) + 32; i++) {
      near.getOutputStream().write(chunk);
    }
    assertThat(near.isClosed()).isTrue();
  }

  /** The buffers of the system are short, so what is not read waits in the socket. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newcomerIsGivenUpEarlier(boolean isKnown) throws Exception {
    isPeerKnown = isKnown;
    far.setSendBufferSize(16 << 10);
    near.setReceiveBufferSize(16 << 10);
    far.getOutputStream().write(new byte[ChannelSocket.NEWCOMER_LIMIT_BYTES]);
    assertThat(far.isClosed()).isFalse();
    far.getOutputStream().write(new byte[4 * ChannelSocket.NEWCOMER_LIMIT_BYTES]);
    assertThat(far.isClosed()).isEqualTo(!isKnown);
  }

  @Test
  void releasesThoseWhoWaitForRoomWhenClosed() throws Exception {
    near.getOutputStream().write(new byte[32 << 20]);
    CountDownLatch released = new CountDownLatch(1);
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    near.awaitRoom(Long.MAX_VALUE);
                    released.countDown();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    near.close();
    released.await();
    waiting.join();
  }

  @Test
  void whoHasNoTimeLeftDoesNotWaitForRoom() throws Exception {
    near.getOutputStream().write(new byte[32 << 20]);
    near.awaitRoom(0);
    near.awaitRoom(20_000_000);
    assertThat(near.isClosed()).isFalse();
  }

  @Test
  void endsReadsWhenClosed() throws Exception {
    assertThat(near.isClosed()).isFalse();
    Thread reader = Thread.ofPlatform().start(() -> readUntilClosed(near));
    near.close();
    reader.join();
    assertThatThrownBy(() -> near.getInputStream().read()).isInstanceOf(SocketException.class);
    assertThat(far.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void givesUpReadingAfterItsTimeout() throws Exception {
    near.setSoTimeout(20);
    assertThatThrownBy(() -> near.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class)
        .hasMessageContaining("20 ms");
    near.setSoTimeout(0);
    far.getOutputStream().write(9);
    assertThat(near.getInputStream().read()).isEqualTo(9);
  }

  private static void readUntilClosed(ChannelSocket socket) {
    try {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException e) {
      assertThat(socket.isClosed()).isTrue();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
