package io.cantle.chaos.scenario.strangers;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes that strangers send: the language of JGroups, written by hand, and what Cantle wants to
 * see before it. To another transport they are noise, which is as well.
 *
 * <p><b>Threading:</b> immutable.
 */
final class StrangerFrames {
  /** 5.5.7, as JGroups writes it. */
  private static final int VERSION = 0x2947;

  private static final int OBJECT_MESSAGE = 3;
  private static final int BYTES_MESSAGE = 0;
  private static final int EMPTY_MESSAGE = 2;
  private static final int MESSAGE_TYPES = 34;
  private static final int CLASS_IDS = 126;
  private static final int SERIALIZED_FLAG = 1 << 11;
  private static final int SERIALIZED_WRAPPER = 20;
  private static final int JAVA_OBJECT = 51;
  private static final int MEMBER_ADDRESS = 12;
  private static final int TRANSPORT_PROTOCOL = 57;
  private static final int TRANSPORT_HEADER = 60;
  private static final int UNICAST_PROTOCOL = 48;
  private static final int UNICAST_HEADER = 82;
  private static final int FRAGMENT_PROTOCOL = 69;
  private static final int FRAGMENT_HEADER = 52;
  private static final int PLACE_ADDRESS = 16;
  private static final int FAR_NUMBER = 2_000_000_000;
  private static final int LARGE_BYTES = 300 << 10;
  private static final int URGENT_BYTES = 4 << 10;
  private static final int NO_RELIABILITY = 1 << 4;
  private static final int HUGE_BYTES = 40 << 20;

  private StrangerFrames() {}

  /** Writes part of a frame. */
  private interface Part {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Part... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (Part part : parts) {
        part.write(out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** What a node of the grid sends first, which a stranger may have learnt. */
  static byte[] opening(String grid) {
    try {
      byte[] named = ("cantle grid " + grid).getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(named);
      return bytes(
          out -> out.write(new byte[] {'C', 'A', 'N', 'T', 'L', 'E', 0, 1}),
          out -> out.write(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** What JGroups sends first: it listens at this address and port. */
  static byte[] introduction(byte[] address, int port) {
    return bytes(
        out -> out.writeBytes("bela"),
        out -> out.writeShort(VERSION),
        out -> out.writeShort(address.length + 3),
        out -> out.writeByte(address.length),
        out -> out.write(address),
        out -> out.writeShort(port));
  }

  /** Everything hostile, each with its length before it. */
  static List<byte[]> all(byte[] address, int port) {
    List<byte[]> frames = new ArrayList<>();
    Part prize = StrangerFrames::serializedPrize;
    frames.add(message(OBJECT_MESSAGE, SERIALIZED_FLAG, out -> out.writeByte(0), prize));
    for (int type = -1; type < MESSAGE_TYPES; type++) {
      frames.add(message(type, SERIALIZED_FLAG, out -> out.writeByte(0), prize));
      frames.add(message(type, 0, of(address, port), StrangerFrames::namedPrize));
      frames.add(message(type, SERIALIZED_FLAG, of(address, port), prize));
    }
    for (int id = -1; id < CLASS_IDS; id++) {
      frames.add(header(id, address, port));
    }
    for (int length : List.of(HUGE_BYTES, Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0)) {
      frames.add(bytes(out -> out.writeInt(length), out -> out.write(new byte[10])));
    }
    frames.add(message(BYTES_MESSAGE, 0, of(address, port), out -> out.writeInt(HUGE_BYTES)));
    frames.add(
        message(
            BYTES_MESSAGE,
            0,
            of(address, port),
            out -> {
              out.writeInt(4);
              out.writeInt(-1);
            }));
    return frames;
  }

  /** A message after its length; {@code head} writes addresses and headers. */
  private static byte[] message(int type, int flags, Part head, Part payload) {
    byte[] frame =
        bytes(
            out -> out.writeShort(VERSION),
            out -> out.writeByte(0),
            out -> out.writeShort(type),
            out -> head(flags, head).write(out),
            payload);
    return bytes(out -> out.writeInt(frame.length), out -> out.write(frame));
  }

  /** Without an address and a header, or with what a member's message has. */
  private static Part head(int flags, Part rest) {
    byte[] written = bytes(rest);
    boolean bare = written.length == 1;
    return out -> {
      out.writeByte(bare ? 0 : 3);
      out.writeShort(flags);
      if (bare) {
        out.writeShort(0);
      } else {
        out.write(written);
      }
    };
  }

  /** Addresses and headers of a message by somebody who is at this place, for anybody. */
  private static Part of(byte[] address, int port) {
    return out -> {
      member(out, address, port);
      member(out, address, port);
      out.writeShort(2);
      grid(out);
      out.writeShort(UNICAST_PROTOCOL);
      out.writeShort(UNICAST_HEADER);
      out.write(new byte[] {0, 1, 1, 0, 1, 1});
    };
  }

  /**
   * Well-formed messages of a peer that is about to join: the first, one far ahead, a long one that
   * waits for an earlier one, and a fragment whose others never come.
   */
  static byte[] greedy(byte[] address, int port, InetSocketAddress target) {
    Part empty = out -> out.writeInt(0);
    Part large =
        out -> {
          out.writeInt(LARGE_BYTES);
          out.write(new byte[LARGE_BYTES]);
        };
    return bytes(
        out -> out.write(numbered(address, port, target, 1, false, empty)),
        out -> out.write(numbered(address, port, target, FAR_NUMBER, false, empty)),
        out -> out.write(numbered(address, port, target, 3, false, large)),
        out -> out.write(numbered(address, port, target, 4, true, large)),
        out -> out.write(urgentFragment(address, port, target)));
  }

  private static byte[] urgentFragment(byte[] address, int port, InetSocketAddress target) {
    return message(
        BYTES_MESSAGE,
        NO_RELIABILITY,
        out -> {
          addresses(out, address, port, target);
          out.writeShort(2);
          grid(out);
          fragment(out, 1);
        },
        out -> {
          out.writeInt(URGENT_BYTES);
          out.write(new byte[URGENT_BYTES]);
        });
  }

  private static void addresses(
      DataOutputStream out, byte[] address, int port, InetSocketAddress target) throws IOException {
    out.writeByte(PLACE_ADDRESS);
    out.writeByte(target.getAddress().getAddress().length);
    out.write(target.getAddress().getAddress());
    out.writeShort(target.getPort());
    member(out, address, port);
  }

  private static void fragment(DataOutputStream out, int number) throws IOException {
    out.writeShort(FRAGMENT_PROTOCOL);
    out.writeShort(FRAGMENT_HEADER);
    out.write(new byte[] {1, (byte) number, 0, 1, 2, 0, 0, 0});
  }

  private static byte[] numbered(
      byte[] address,
      int port,
      InetSocketAddress target,
      int number,
      boolean isFragment,
      Part payload) {
    return message(
        BYTES_MESSAGE,
        0,
        out -> {
          addresses(out, address, port, target);
          out.writeShort(isFragment ? 3 : 2);
          grid(out);
          out.writeShort(UNICAST_PROTOCOL);
          out.writeShort(UNICAST_HEADER);
          out.write(new byte[] {0, Integer.BYTES});
          out.writeInt(Integer.reverseBytes(number));
          out.write(new byte[] {0, 1, (byte) (number == 1 ? 1 : 0)});
          if (isFragment) {
            fragment(out, number);
          }
        },
        payload);
  }

  private static byte[] header(int id, byte[] address, int port) {
    return message(
        EMPTY_MESSAGE,
        0,
        out -> {
          member(out, address, port);
          member(out, address, port);
          out.writeShort(2);
          grid(out);
          out.writeShort(id);
          out.writeShort(id);
          out.write(new byte[64]);
        },
        out -> {});
  }

  private static void grid(DataOutputStream out) throws IOException {
    out.writeShort(TRANSPORT_PROTOCOL);
    out.writeShort(TRANSPORT_HEADER);
    out.writeShort(StrangersNode.GRID.length());
    out.writeBytes(StrangersNode.GRID);
    out.writeByte(0);
  }

  private static void member(DataOutputStream out, byte[] address, int port) throws IOException {
    out.writeByte(0);
    out.writeShort(MEMBER_ADDRESS);
    out.writeLong(port);
    out.writeLong(port);
    out.writeByte(0);
    out.writeByte(2);
    out.write(new byte[] {1, 'n', 1, 's', 1, 'p', (byte) (address.length + 2)});
    out.writeShort(port);
    out.write(address);
  }

  private static void namedPrize(DataOutputStream out) throws IOException {
    out.writeByte(1);
    out.writeShort(-1);
    out.writeUTF(StrangersPrize.class.getName());
  }

  private static void serializedPrize(DataOutputStream out) throws IOException {
    byte[] object =
        bytes(
            more -> more.writeByte(JAVA_OBJECT),
            more -> more.writeInt(0xACED0005),
            more -> more.writeBytes("sr"),
            more -> more.writeUTF(StrangersPrize.class.getName()),
            more -> more.writeLong(7),
            more -> more.writeByte(2),
            more -> more.writeShort(0),
            more -> more.writeBytes("xp"));
    out.writeByte(1);
    out.writeShort(SERIALIZED_WRAPPER);
    out.writeInt(object.length);
    out.write(object);
  }
}
