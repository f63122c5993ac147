package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.Version;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.protocols.pbcast.STABLE.StableHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A stranger that speaks the protocol of JGroups cannot cause objects to be created, whether it
 * knows the grid's name or not. No deserialization filter is set.
 */
@Timeout(120)
class StrangerFramesTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final String GRID = "walled";
  private static final int SERIALIZED_WRAPPER = 20;
  private static final int CLASS_BY_NAME = -1;

  /** The type byte that JGroups writes before an object serialized by Java. */
  private static final int JAVA_OBJECT = 51;

  private static final int CLASS_IDS = 126;
  private static final int MESSAGE_TYPES = 34;
  private static final short NO_FLAGS = 0;
  private static final short SERIALIZED = Message.Flag.SERIALIZED.value();

  private final AtomicInteger delivered = new AtomicInteger();
  private Node node;

  /** A part of a frame. */
  private interface Part {
    void write(DataOutputStream out) throws IOException;
  }

  @BeforeEach
  void start() {
    assertThat(System.getProperty("jdk.serialFilter")).isNull();
    node = new Node(Node.settings(GRID, "walled"), (from, message) -> delivered.incrementAndGet());
    node.start();
    CreationRecorder.watch();
    CreationRecorder.forget();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  @Test
  void objectsOfClassesThatTheWireNamesAreNotMade() throws Exception {
    refuses(Message.OBJ_MSG, NO_FLAGS, numbered(), namedObject());
    refuses(Message.OBJ_MSG, SERIALIZED, numbered(), serialized());
    refuses(Message.BYTES_MSG, SERIALIZED, numbered(), array(javaObject()));
    refuses(Message.NIO_MSG, SERIALIZED, numbered(), array(javaObject()));
  }

  @Test
  void noMessageTypeOfJGroupsButBytesIsMade() throws Exception {
    for (short type = -1; type < MESSAGE_TYPES; type++) {
      if (type != Message.BYTES_MSG && type != Message.EMPTY_MSG) {
        refuses(type, NO_FLAGS, numbered(), serialized());
        refuses(type, SERIALIZED, numbered(), namedObject());
      }
    }
  }

  @Test
  void noHeaderOfJGroupsIsMadeByItsNumber() throws Exception {
    for (int id = -1; id < CLASS_IDS; id++) {
      int magic = id;
      refuses(
          Message.EMPTY_MSG,
          NO_FLAGS,
          out -> {
            out.writeShort(2);
            grid(out);
            out.writeShort(1_000 + magic);
            out.writeShort(magic);
            out.write(new byte[64]);
          },
          out -> {});
    }
  }

  @Test
  void noAddressIsMadeByItsNumber() throws Exception {
    for (int id = -1; id < CLASS_IDS; id++) {
      if (id != ClassConfigurator.getMagicNumber(ExtendedUUID.class)) {
        int magic = id;
        refuses(
            stranger -> {
              ByteArrayOutputStream bytes = new ByteArrayOutputStream();
              DataOutputStream out = new DataOutputStream(bytes);
              out.writeShort(Version.version);
              out.writeByte(0);
              out.writeShort(Message.BYTES_MSG);
              out.writeByte(3);
              out.writeShort(0);
              out.writeByte(0);
              out.writeShort(magic);
              out.write(new byte[64]);
              return bytes.toByteArray();
            });
      }
    }
  }

  /** Where Cantle's protocols expect an object, only theirs is accepted. */
  @Test
  void objectsThatProtocolsSendAreNoOthers() throws Exception {
    for (int id = -1; id < CLASS_IDS; id++) {
      int magic = id;
      Part object =
          out -> {
            out.writeByte(1);
            out.writeShort(magic);
            out.write(new byte[3]);
          };
      refuses(Message.OBJ_MSG, NO_FLAGS, missing(), object);
      refuses(Message.OBJ_MSG, NO_FLAGS, stability(), object);
    }
    refuses(Message.BYTES_MSG, SERIALIZED, missing(), array(javaObject()));
    refuses(Message.BYTES_MSG, SERIALIZED, stability(), array(javaObject()));
    refuses(Message.BYTES_MSG, NO_FLAGS, missing(), array(javaObject()));
    refuses(Message.OBJ_MSG, NO_FLAGS, missing(), namedObject());
    refuses(Message.OBJ_MSG, NO_FLAGS, stability(), serialized());
  }

  @Test
  void batchesAndOtherVersionsAreRefused() throws Exception {
    for (int flags = 0; flags < 256; flags++) {
      int kind = flags;
      if (kind != 0) {
        refuses(
            stranger -> {
              byte[] frame = frame(stranger, Message.OBJ_MSG, NO_FLAGS, numbered(), namedObject());
              frame[Short.BYTES] = (byte) kind;
              return frame;
            });
      }
    }
  }

  @Test
  void lengthsAreRefusedBeforeAnythingOfThatLengthIsMade() throws Exception {
    for (int length :
        new int[] {
          -1,
          -4,
          -6,
          0,
          1,
          7,
          Integer.MIN_VALUE,
          Integer.MAX_VALUE,
          40 << 20,
          FrameDecoder.MAX_FRAME_BYTES + 1
        }) {
      try (Stranger stranger = named()) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(length);
        out.writeShort(Version.version);
        out.write(new byte[8]);
        assertThat(stranger.send(bytes.toByteArray()).isClosedByPeer()).isTrue();
      }
    }
  }

  @Test
  void noiseIsRefusedWhereverItBegins() throws Exception {
    Random random = new Random(13);
    for (int i = 0; i < 100; i++) {
      byte[] noise = new byte[1 + random.nextInt(4_096)];
      random.nextBytes(noise);
      try (Stranger raw = new Stranger(node.transport.port())) {
        assertThat(raw.send(noise).isClosedByPeer()).isTrue();
      }
      refuses(_ -> noise);
    }
    assertThat(delivered).hasValue(0);
  }

  /**
   * A valid frame is delivered, so the refusals are not caused by faults of the frames in this
   * test.
   */
  @Test
  void bytesOfWhoKnowsTheGridAreDelivered() throws Exception {
    try (Stranger stranger = named()) {
      stranger.frame(
          frame(
              stranger,
              Message.BYTES_MSG,
              NO_FLAGS,
              numbered(),
              array("hi".getBytes(StandardCharsets.UTF_8))));
      while (delivered.get() == 0) {
        Thread.onSpinWait();
      }
    }
    assertThat(CreationRecorder.made()).isEmpty();
  }

  /** Creates a frame from a stranger. */
  private interface FrameMaker {
    byte[] frame(Stranger stranger) throws IOException;
  }

  private void refuses(short type, short flags, Part headers, Part payload) throws IOException {
    refuses(stranger -> frame(stranger, type, flags, headers, payload));
  }

  /**
   * The frame ends the connection and has no effect, whether the stranger knows the grid or not.
   */
  private void refuses(FrameMaker maker) throws IOException {
    try (Stranger unnamed = new Stranger(node.transport.port())) {
      assertThat(unnamed.introduce().frame(maker.frame(unnamed)).isClosedByPeer()).isTrue();
    }
    try (Stranger named = named()) {
      assertThat(named.frame(maker.frame(named)).isClosedByPeer()).isTrue();
    }
    assertThat(CreationRecorder.made()).isEmpty();
    assertThat(delivered).hasValue(0);
  }

  /** A stranger that was admitted because it knows the grid's name. */
  private Stranger named() throws IOException {
    Stranger stranger = new Stranger(node.transport.port());
    byte[] opening = new byte[ConnectionOpening.BYTES];
    new ConnectionOpening(GRID).bytes().get(opening);
    return stranger.send(opening).introduce();
  }

  private byte[] frame(Stranger stranger, short type, short flags, Part headers, Part payload)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(Version.version);
    out.writeByte(0);
    out.writeShort(type);
    out.writeByte(3);
    out.writeShort(flags);
    Util.writeAddress(address(node.self(), node.transport.port()), out);
    Util.writeAddress(address(new Member(new UUID(6, 6), "stranger"), stranger.port()), out);
    headers.write(out);
    payload.write(out);
    return bytes.toByteArray();
  }

  private static Address address(Member member, int port) {
    ExtendedUUID address = MemberAddress.of(member);
    MemberAddress.addListeningAddress(address, new IpAddress(LOOPBACK, port));
    return address;
  }

  private static void grid(DataOutputStream out) throws IOException {
    out.writeShort(ClassConfigurator.getProtocolId(TP.class));
    TpHeader header = new TpHeader(GRID);
    out.writeShort(header.getMagicId());
    header.writeTo(out);
  }

  /** Headers of an ordinary message, the first of its sender. */
  private static Part numbered() {
    return unicast(UnicastHeader3.createDataHeader(1, (short) 1, true));
  }

  /** Headers of a message that requests missing messages. */
  private static Part missing() {
    return unicast(UnicastHeader3.createXmitReqHeader());
  }

  private static Part unicast(UnicastHeader3 header) {
    return out -> {
      out.writeShort(2);
      grid(out);
      out.writeShort(ClassConfigurator.getProtocolId(UNICAST3.class));
      out.writeShort(header.getMagicId());
      header.writeTo(out);
    };
  }

  private static Part stability() {
    return out -> {
      out.writeShort(2);
      grid(out);
      out.writeShort(ClassConfigurator.getProtocolId(STABLE.class));
      StableHeader header = new StableHeader(StableHeader.STABLE_GOSSIP, null);
      out.writeShort(header.getMagicId());
      header.writeTo(out);
    };
  }

  /** An object of a class that is named. */
  private static Part namedObject() {
    return out -> {
      out.writeByte(1);
      out.writeShort(CLASS_BY_NAME);
      out.writeUTF("io.cantle.jgroups.Creations$Prize");
    };
  }

  /** An object that Java is to deserialize. */
  private static Part serialized() {
    return out -> {
      byte[] object = javaObject();
      out.writeByte(1);
      out.writeShort(SERIALIZED_WRAPPER);
      out.writeInt(object.length);
      out.write(object);
    };
  }

  private static Part array(byte[] bytes) {
    return out -> {
      out.writeInt(bytes.length);
      out.write(bytes);
    };
  }

  /**
   * The bytes of a prize serialized by Java, written by hand because creating one here would be
   * recorded.
   */
  private static byte[] javaObject() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(JAVA_OBJECT);
    out.writeInt(0xACED0005);
    out.writeByte('s');
    out.writeByte('r');
    out.writeUTF("io.cantle.jgroups.Creations$Prize");
    out.writeLong(7);
    out.writeByte(2);
    out.writeShort(0);
    out.writeByte('x');
    out.writeByte('p');
    return bytes.toByteArray();
  }
}
