package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.FragHeader;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Well-formed messages of peers that are not members take little memory, however many there are.
 */
@Timeout(120)
class NewcomerMemoryTest {
  private static final String GRID = "newcomers";
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final long MAX_GROWTH_BYTES = 32 << 20;
  private static final long DROP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int LONG_BYTES = 300 << 10;

  private final Semaphore delivered = new Semaphore(0);
  private final List<Stranger> strangers = new ArrayList<>();
  private Node node;

  @BeforeEach
  void start() {
    node = new Node(Node.settings(GRID, "node"), (from, message) -> delivered.release());
    node.start();
  }

  @AfterEach
  void stop() throws IOException {
    for (Stranger stranger : strangers) {
      stranger.close();
    }
    node.close();
  }

  @Test
  void numbersFarAheadTakeNoMemory() throws Exception {
    long before = usedBytes();
    for (int i = 0; i < 20; i++) {
      Stranger stranger = newcomer();
      send(stranger, numbered(stranger, 1, 10));
      send(stranger, numbered(stranger, 2_000_000_000, 10));
      awaitDelivery(stranger, 1);
      stranger.close();
    }
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
  }

  @Test
  void longMessagesThatWaitForAnEarlierOneAreDropped() throws Exception {
    long before = usedBytes();
    Stranger stranger = newcomer();
    send(stranger, numbered(stranger, 1, 10));
    for (int number = 3; number < 200; number++) {
      send(stranger, numbered(stranger, number, LONG_BYTES));
    }
    awaitDelivery(stranger, 1);
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
  }

  @Test
  void messagesWithoutAFirstOneAreDropped() throws Exception {
    long before = usedBytes();
    Stranger stranger = newcomer();
    for (int number = 2; number < 200; number++) {
      send(stranger, numbered(stranger, number, LONG_BYTES));
    }
    awaitDelivery(stranger, 0);
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
  }

  @Test
  void shortMessagesThatWaitAreDeliveredInOrder() throws Exception {
    Stranger stranger = newcomer();
    send(stranger, numbered(stranger, 1, 10));
    send(stranger, numbered(stranger, 3, 10));
    send(stranger, numbered(stranger, 2, 10));
    assertThat(delivered.tryAcquire(3, 30, TimeUnit.SECONDS)).isTrue();
  }

  /** Requests to join and to merge are such messages. */
  @Test
  void messagesOutOfBandDoNotWaitForEarlierOnes() throws Exception {
    Stranger stranger = newcomer();
    send(stranger, numbered(stranger, 1, 10));
    Message fragment = numbered(stranger, 2, LONG_BYTES);
    send(stranger, fragment.putHeader(id(FRAG4.class), new FragHeader(1, 0, 2)));
    for (int number = 3; number < 200; number++) {
      send(stranger, numbered(stranger, number, LONG_BYTES));
    }
    send(stranger, numbered(stranger, 200, 10).setFlag(Message.Flag.OOB));
    assertThat(delivered.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void fragmentsThatAreNeverCompleteAreDropped() throws Exception {
    long before = usedBytes();
    Stranger stranger = newcomer();
    for (int number = 1; number < 200; number++) {
      Message fragment = numbered(stranger, number, LONG_BYTES);
      send(stranger, fragment.putHeader(id(FRAG4.class), new FragHeader(number, 0, 2)));
    }
    awaitDelivery(stranger, 0);
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
  }

  @Test
  void fragmentsWithoutANumberEndTheConnection() throws Exception {
    Message urgent = message(newcomer(), 4 << 10).setFlag(Message.Flag.NO_RELIABILITY);
    Message empty = new EmptyMessage(urgent.getDest()).setSrc(urgent.getSrc());
    empty.putHeader(id(TP.class), new TpHeader(GRID));
    for (Message fragment : List.of(urgent, empty)) {
      Stranger stranger = newcomer();
      fragment.setSrc(message(stranger, 1).getSrc());
      send(stranger, fragment.putHeader(id(FRAG4.class), new FragHeader(1, 0, 200)));
      assertThat(stranger.isClosedByPeer()).isTrue();
    }
  }

  /** Each request is answered, and the stranger acknowledges nothing. */
  @Test
  void answersThatAreNotAcknowledgedTakeLittleMemory() throws Exception {
    Stranger stranger = newcomer();
    send(stranger, numbered(stranger, 1, 10));
    assertThat(delivered.tryAcquire(1, 30, TimeUnit.SECONDS)).isTrue();
    Member member = new Member(new UUID(6, stranger.port()), "stranger");
    long before = usedBytes();
    for (int i = 0; i < 20_000; i++) {
      node.send(member, new byte[4_000]);
    }
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
  }

  /** A byte now and then is no sign of life; only a whole frame is. */
  @Test
  void framesThatArriveByDropsKeepFewConnections() throws Exception {
    for (int i = 0; i < 3 * ChannelSocketProvider.MAX_NEWCOMERS; i++) {
      newcomer().send(new byte[] {0, 7, 0, 0});
    }
    long end = System.nanoTime() + 2 * ChannelSocketProvider.SILENCE_NANOS;
    while (System.nanoTime() - end < 0) {
      for (Stranger stranger : strangers) {
        stranger.send(new byte[1]);
      }
      LockSupport.parkNanos(DROP_NANOS);
    }
    assertThat(strangers.stream().filter(stranger -> !stranger.isRefused()))
        .hasSizeLessThanOrEqualTo(ChannelSocketProvider.MAX_SILENT_NEWCOMERS);
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private Stranger newcomer() throws IOException {
    Stranger stranger = new Stranger(node.transport.port());
    strangers.add(stranger);
    byte[] opening = new byte[ConnectionOpening.BYTES];
    new ConnectionOpening(GRID).bytes().get(opening);
    return stranger.send(opening).introduce();
  }

  /** Waits until so many messages, and an urgent one behind everything else, are delivered. */
  private void awaitDelivery(Stranger stranger, int messages) throws Exception {
    send(stranger, message(stranger, 1).setFlag(Message.Flag.NO_RELIABILITY));
    assertThat(delivered.tryAcquire(messages + 1, 30, TimeUnit.SECONDS)).isTrue();
    assertThat(delivered.tryAcquire()).isFalse();
  }

  private Message numbered(Stranger stranger, long number, int bytes) {
    return message(stranger, bytes)
        .putHeader(
            id(UNICAST3.class), UnicastHeader3.createDataHeader(number, (short) 1, number == 1));
  }

  private Message message(Stranger stranger, int bytes) {
    Member member = new Member(new UUID(6, stranger.port()), "stranger");
    return new BytesMessage(address(node.self(), node.transport.port()), new byte[bytes])
        .setSrc(address(member, stranger.port()))
        .putHeader(id(TP.class), new TpHeader(GRID));
  }

  private static void send(Stranger stranger, Message message) throws Exception {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    Util.writeMessage(message, out, false);
    stranger.frame(Arrays.copyOf(out.buffer(), out.position()));
  }

  private static short id(Class<?> protocol) {
    return ClassConfigurator.getProtocolId(protocol);
  }

  private static Address address(Member member, int port) {
    ExtendedUUID address = MemberAddress.of(member);
    MemberAddress.addListeningAddress(address, new IpAddress(LOOPBACK, port));
    return address;
  }
}
