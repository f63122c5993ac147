package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.Member;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Header;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.FailureDetection.HeartbeatHeader;
import org.jgroups.protocols.FragHeader;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.pbcast.DeltaView;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.GMS.GmsHeader;
import org.jgroups.protocols.pbcast.JoinRsp;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.protocols.pbcast.STABLE.StableHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArray;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Digest;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.MergeId;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages of Cantle's protocol stack are decoded as JGroups would read them. */
class FrameDecoderTest {
  private static final String GRID = "frames";
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final IpAddress PLACE = new IpAddress(LOOPBACK, 7801);
  private static final Address ONE = address("one", 1, PLACE);
  private static final Address TWO = address("two", 2, new IpAddress(LOOPBACK, 7802));
  private static final Address THREE =
      address("three", 3, new IpAddress(InetAddress.ofLiteral("::1"), 65_535));
  private static final HeaderReader HEADERS = new HeaderReader(GRID);

  private static Address address(String name, long id, IpAddress place) {
    UUID node = id == 2 ? new UUID(id, 77) : new UUID(id, id);
    ExtendedUUID address = MemberAddress.of(new Member(new UUID(id, id), node, name));
    MemberAddress.addListeningAddress(address, place);
    return address;
  }

  /** Gives access to what JGroups keeps protected. */
  private static final class Marshal extends GMS {
    static ByteArray of(@Nullable View view, @Nullable Digest digest) {
      return marshal(view, digest);
    }
  }

  private static short id(Class<?> protocol) {
    return ClassConfigurator.getProtocolId(protocol);
  }

  private static Message with(Message message, Class<?> protocol, Header header) {
    return message.putHeader(id(protocol), header);
  }

  private static Message numbered(Message message, long number) {
    return with(
        message, UNICAST3.class, UnicastHeader3.createDataHeader(number, (short) 3, number == 1));
  }

  private static Message membership(int type, ByteArray content) {
    GmsHeader header = new GmsHeader((byte) type, TWO);
    return numbered(
        with(new BytesMessage(TWO).setArray(content), GMS.class, header).setFlag(Message.Flag.OOB),
        5);
  }

  private static Digest digest(Address... members) {
    long[] numbers = new long[members.length * 2];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (long) i * i * 1_000_000_007L;
    }
    return new Digest(members, numbers);
  }

  static List<Message> messages() throws Exception {
    View view = View.create(ONE, 1L << 40, ONE, TWO, THREE);
    View other = View.create(TWO, 3, TWO);
    MergeView merged =
        new MergeView(ONE, 9, List.of(ONE, TWO, THREE), List.of(other, View.create(ONE, 2, ONE)));
    DeltaView delta =
        new DeltaView(
            view.getViewId(), other.getViewId(), new Address[] {TWO}, new Address[] {THREE});
    SeqnoList missing = new SeqnoList(100, 17).add(18).add(40);
    return Stream.of(
            numbered(new BytesMessage(TWO, new byte[1_000]), 1),
            numbered(new BytesMessage(TWO, new byte[0]), Long.MAX_VALUE),
            numbered(
                with(new BytesMessage(TWO, new byte[99]), FRAG4.class, new FragHeader(7, 1, 2)), 2),
            with(
                new EmptyMessage(TWO),
                UNICAST3.class,
                UnicastHeader3.createAckHeader(9, (short) 1, 70_000)),
            with(
                new EmptyMessage(TWO),
                UNICAST3.class,
                UnicastHeader3.createSendFirstSeqnoHeader(4)),
            with(
                new EmptyMessage(TWO), UNICAST3.class, UnicastHeader3.createCloseHeader((short) 4)),
            with(
                new ObjectMessage(TWO, missing),
                UNICAST3.class,
                UnicastHeader3.createXmitReqHeader()),
            with(
                new ObjectMessage(TWO, missing),
                NAKACK2.class,
                NakAckHeader2.createXmitRequestHeader(THREE)),
            with(new EmptyMessage(null), NAKACK2.class, NakAckHeader2.createHighestSeqnoHeader(12)),
            with(
                with(
                    new BytesMessage(null).setArray(Marshal.of(delta, null)),
                    GMS.class,
                    new GmsHeader(GmsHeader.VIEW)),
                NAKACK2.class,
                NakAckHeader2.createMessageHeader(3)),
            membership(GmsHeader.VIEW, Marshal.of(view, digest(ONE, TWO, THREE))),
            membership(GmsHeader.VIEW, Marshal.of(merged, digest(ONE))),
            membership(GmsHeader.MERGE_RSP, Marshal.of(view, digest(ONE, TWO))),
            membership(GmsHeader.INSTALL_DIGEST, Marshal.of(null, digest(ONE))),
            membership(GmsHeader.JOIN_RSP, GMS.marshal(new JoinRsp(view, digest(ONE, TWO, THREE)))),
            membership(
                GmsHeader.JOIN_RSP, GMS.marshal(new JoinRsp(merged, digest(ONE, TWO, THREE)))),
            membership(GmsHeader.JOIN_RSP, GMS.marshal(new JoinRsp("no"))),
            with(new BytesMessage(TWO), GMS.class, new GmsHeader(GmsHeader.JOIN_REQ, ONE)),
            with(
                new EmptyMessage(TWO),
                GMS.class,
                new GmsHeader(GmsHeader.CANCEL_MERGE).mergeId(MergeId.create(ONE))),
            with(
                new BytesMessage(PLACE),
                TCPPING.class,
                new PingHeader(PingHeader.GET_MBRS_REQ).clusterName(GRID).initialDiscovery(true)),
            with(
                new BytesMessage(TWO)
                    .setArray(
                        Discovery.marshal(
                            new PingData(ONE, true, "one", PLACE).mbrs(List.of(ONE, TWO)))),
                TCPPING.class,
                new PingHeader(PingHeader.GET_MBRS_RSP)),
            with(
                new EmptyMessage(null),
                MERGE3.class,
                MERGE3.MergeHeader.createInfo(view.getViewId(), "one", PLACE)),
            with(
                new BytesMessage(TWO).setArray(MERGE3.marshal(view)),
                MERGE3.class,
                MERGE3.MergeHeader.createViewResponse()),
            with(
                new BytesMessage(TWO).setArray(MERGE3.marshal(merged)),
                MERGE3.class,
                MERGE3.MergeHeader.createViewResponse()),
            with(
                new ObjectMessage(null, digest(ONE, TWO)),
                STABLE.class,
                new StableHeader(StableHeader.STABILITY, view.getViewId())),
            with(
                new ObjectMessage(null, new MutableDigest(digest(ONE, TWO))),
                STABLE.class,
                new StableHeader(StableHeader.STABLE_GOSSIP, null)))
        .map(message -> with(message.setSrc(ONE), TP.class, new TpHeader(GRID)))
        .toList();
  }

  private static byte[] frame(Message message) throws Exception {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    Util.writeMessage(message, out, message.getDest() == null);
    return Arrays.copyOf(out.buffer(), out.position());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void isUnderstoodAsJGroupsUnderstandsIt(Message message) throws Exception {
    byte[] frame = frame(message);
    Message decoded = new FrameDecoder(HEADERS).decode(frame, PLACE);
    assertThat(decoded.getClass()).isEqualTo(message.getClass());
    assertThat(decoded.getDest()).isEqualTo(message.getDest());
    assertThat(decoded.getSrc()).isEqualTo(message.getSrc());
    assertThat(decoded.printHeaders()).isEqualTo(theirs(frame).printHeaders());
    assertThat(frame(decoded)).isEqualTo(frame);
  }

  private static Message theirs(byte[] frame) throws Exception {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
    in.skipNBytes(Short.BYTES + Byte.BYTES);
    return Util.readMessage(in);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void isMalformedWhereverItIsCutOrLonger(Message message) throws Exception {
    byte[] frame = frame(message);
    for (int length = 0; length < frame.length; length++) {
      byte[] cut = Arrays.copyOf(frame, length);
      FrameDecoder decoder = new FrameDecoder(HEADERS);
      assertThatThrownBy(() -> decoder.decode(cut, PLACE)).isInstanceOf(MalformedException.class);
    }
    byte[] longer = Arrays.copyOf(frame, frame.length + 1);
    FrameDecoder decoder = new FrameDecoder(HEADERS);
    assertThatThrownBy(() -> decoder.decode(longer, PLACE)).isInstanceOf(MalformedException.class);
  }

  /**
   * Whatever is accepted with one bit flipped can be read by JGroups too, and needs nothing
   * unknown.
   */
  @ParameterizedTest
  @MethodSource("messages")
  void isMalformedOrHarmlessWithAnyBitTurned(Message message) throws Exception {
    byte[] frame = frame(message);
    for (int bit = 0; bit < frame.length * Byte.SIZE; bit++) {
      byte[] turned = frame.clone();
      turned[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      try {
        Message decoded = new FrameDecoder(HEADERS).decode(turned, PLACE);
        assertThat(decoded)
            .isInstanceOfAny(BytesMessage.class, EmptyMessage.class, ObjectMessage.class);
        assertThat(decoded.isFlagSet(Message.Flag.SERIALIZED)).isFalse();
        assertThat(theirs(turned).printHeaders()).isEqualTo(decoded.printHeaders());
      } catch (MalformedException e) {
        assertThat(e).hasNoCause();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void isOfTheOneWhoListensWhereTheConnectionComesFrom(Message message) throws Exception {
    byte[] frame = frame(message);
    assertThatThrownBy(() -> new FrameDecoder(HEADERS).decode(frame, new IpAddress(LOOPBACK, 7809)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("not the peer of its connection");
    FrameDecoder decoder = new FrameDecoder(HEADERS);
    decoder.decode(frame, PLACE);
    byte[] ofAnother = frame(message.setSrc(address("another", 9, PLACE)));
    assertThatThrownBy(() -> decoder.decode(ofAnother, PLACE))
        .isInstanceOf(MalformedException.class);
  }

  /** Only a multicast that is sent again has another sender, and only after the peer is known. */
  @Test
  void isOfAnotherOnlyWhenItIsAMulticastSentAgain() throws Exception {
    FrameDecoder decoder = new FrameDecoder(HEADERS);
    byte[] resent = frame(resent(new EmptyMessage(ONE)));
    assertThatThrownBy(() -> decoder.decode(resent, PLACE))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("sender");
    decoder.decode(frame(messages().getFirst()), PLACE);
    assertThat(decoder.decode(resent, PLACE).getSrc()).isEqualTo(TWO);
    byte[] forged =
        frame(with(resent(new EmptyMessage(ONE)), FD_ALL3.class, new HeartbeatHeader()));
    assertThatThrownBy(() -> decoder.decode(forged, PLACE))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("sender");
  }

  private static Message resent(Message message) {
    return with(
        with(message.setSrc(TWO), TP.class, new TpHeader(GRID)),
        NAKACK2.class,
        NakAckHeader2.createXmitResponseHeader());
  }
}
