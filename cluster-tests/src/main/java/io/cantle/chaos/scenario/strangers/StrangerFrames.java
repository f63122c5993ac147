package io.cantle.chaos.scenario.strangers;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * The bytes that strangers send: the protocol of Cantle, written by hand, and what breaks its
 * rules. To another transport they are noise, which is as well.
 *
 * <p><b>Threading:</b> immutable.
 */
final class StrangerFrames {
  static final int DATA_LANE = 0;
  static final int URGENT_LANE = 1;

  private static final int MAGIC = 0x434E_544C;
  private static final int FORMAT = 1;
  private static final int MAX_OPENING_BYTES = 512;
  private static final int MAX_MESSAGE_BYTES = 64 << 20;
  private static final int MESSAGE_FRAME = 0;
  private static final int HEARTBEAT_FRAME = 1;
  private static final int ADDRESSES_FRAME = 2;
  private static final int FRAME_KINDS = 4;
  private static final int MESSAGE_VERSION = 8;
  private static final int MESSAGE_KINDS = 48;
  private static final int HELLO = 1;
  private static final int RESPONSE = 0;
  private static final int MAX_TOLD = 1_024;
  private static final int FIRST_DEAD_PORT = 61_000;
  private static final int HUGE_BYTES = 40 << 20;
  private static final int LONG_BYTES = 300 << 10;
  private static final int MAX_BODY_BYTES = 200;

  private static final byte[] NOT_UTF8 = {'n', (byte) 0xFF, (byte) 0xC0, (byte) 0x80, (byte) 0xED};
  private static final byte[] CONTROLS =
      "\u001B[2J\r\n\u202E\u0000\u0007".getBytes(StandardCharsets.UTF_8);

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

  private static byte[] frame(Part... parts) {
    byte[] whole = bytes(parts);
    return bytes(out -> out.writeInt(whole.length), out -> out.write(whole));
  }

  private static void varint(DataOutputStream out, long value) throws IOException {
    long left = value;
    for (; (left & ~0x7FL) != 0; left >>>= 7) {
      out.writeByte((int) left | 0x80);
    }
    out.writeByte((int) left);
  }

  private static void blob(DataOutputStream out, byte[] value) throws IOException {
    varint(out, value.length);
    out.write(value);
  }

  // ------------------------------------------------------------------ openings

  /** What a node of the grid sends first, which a stranger may have learnt. */
  static byte[] opening(UUID id, int lane, InetSocketAddress listening) {
    byte[] name = ("stranger-" + id).getBytes(StandardCharsets.UTF_8);
    return frame(opening(MAGIC, FORMAT, lane, grid(), id, name, listening));
  }

  private static byte[] grid() {
    return StrangersNode.GRID.getBytes(StandardCharsets.UTF_8);
  }

  private static Part opening(
      int magic,
      int format,
      int lane,
      byte[] grid,
      UUID id,
      byte[] name,
      InetSocketAddress listening) {
    return out -> {
      out.writeInt(magic);
      out.writeByte(format);
      out.writeByte(lane);
      blob(out, grid);
      for (int i = 0; i < 2; i++) {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
      }
      blob(out, name);
      blob(out, listening.getAddress().getAddress());
      varint(out, listening.getPort());
    };
  }

  /** Everything hostile to send first. */
  static List<byte[]> openings(InetSocketAddress listening) {
    UUID id = UUID.nameUUIDFromBytes(grid());
    byte[] name = {'s'};
    Part good = opening(MAGIC, FORMAT, DATA_LANE, grid(), id, name, listening);
    byte[] whole = frame(good);
    List<byte[]> hostile = new ArrayList<>();
    for (int magic : new int[] {0, MAGIC + 1, Integer.reverseBytes(MAGIC), 0xACED_0005}) {
      hostile.add(frame(opening(magic, FORMAT, DATA_LANE, grid(), id, name, listening)));
    }
    for (int code : new int[] {0, 2, 127, 255}) {
      hostile.add(frame(opening(MAGIC, code, DATA_LANE, grid(), id, name, listening)));
      hostile.add(frame(opening(MAGIC, FORMAT, code | 2, grid(), id, name, listening)));
    }
    for (byte[] text : List.of(NOT_UTF8, CONTROLS, new byte[0], new byte[65], new byte[400])) {
      hostile.add(frame(opening(MAGIC, FORMAT, DATA_LANE, text, id, name, listening)));
      hostile.add(frame(opening(MAGIC, FORMAT, DATA_LANE, grid(), id, text, listening)));
    }
    hostile.add(frame(good, out -> out.writeByte(0)));
    hostile.add(frame(good, out -> out.write(new byte[MAX_OPENING_BYTES])));
    hostile.add(bytes(out -> out.write(whole, 0, whole.length - 1)));
    hostile.add(bytes(out -> out.writeInt(whole.length - 9), out -> out.write(whole, 4, 50)));
    int[] lengths = {0, 1, MAX_OPENING_BYTES + 1, HUGE_BYTES, Integer.MAX_VALUE, -1, 1 << 31};
    for (int length : lengths) {
      hostile.add(bytes(out -> out.writeInt(length), out -> out.write(whole, 4, 10)));
    }
    hostile.addAll(prizes());
    return hostile;
  }

  /** What Java would deserialise, and what has the name of a class. */
  private static List<byte[]> prizes() {
    return List.of(
        bytes(StrangerFrames::prize),
        frame(StrangerFrames::prize),
        frame(out -> out.writeUTF(StrangersPrize.class.getName())));
  }

  // ------------------------------------------------------------------ frames

  /** Everything hostile to send once a connection is open; each ends in what ends a connection. */
  static List<byte[]> frames(Random random) {
    List<byte[]> hostile = new ArrayList<>();
    for (int kind : new int[] {FRAME_KINDS, 17, 127, 128, 255}) {
      hostile.add(frame(out -> out.writeByte(kind)));
      hostile.add(frame(out -> out.writeByte(kind), StrangerFrames::prize));
    }
    int[] lengths = {0, MAX_MESSAGE_BYTES + 2, Integer.MAX_VALUE, -1, Integer.MIN_VALUE, -512};
    for (int length : lengths) {
      hostile.add(bytes(out -> out.writeInt(length), out -> out.write(new byte[10])));
    }
    addAddressLists(hostile);
    for (int code = 0; code < MESSAGE_KINDS; code++) {
      addMessages(hostile, code, random);
    }
    addMessages(hostile, 255, random);
    for (byte[] prize : prizes()) {
      hostile.add(ended(frame(out -> out.writeByte(MESSAGE_FRAME), out -> out.write(prize))));
    }
    return hostile;
  }

  /** What no node sends, behind what a node may send: the connection must end. */
  private static byte[] ended(byte[] frame) {
    return bytes(
        out -> out.write(frame), out -> out.writeInt(1), out -> out.writeByte(FRAME_KINDS + 1));
  }

  private static void addAddressLists(List<byte[]> hostile) {
    for (long count : new long[] {1, MAX_TOLD + 1, Integer.MAX_VALUE, 1L << 62, 1L << 63, -1}) {
      hostile.add(frame(out -> out.writeByte(ADDRESSES_FRAME), out -> varint(out, count)));
    }
    for (int length : new int[] {0, 3, 5, 15, 17, 200}) {
      hostile.add(
          frame(
              out -> out.writeByte(ADDRESSES_FRAME),
              out -> varint(out, 1),
              out -> blob(out, new byte[length]),
              out -> varint(out, 1)));
    }
    hostile.add(
        frame(
            out -> out.writeByte(ADDRESSES_FRAME),
            out -> varint(out, 1),
            out -> blob(out, new byte[4]),
            out -> varint(out, 1 << 16)));
    for (int first : new int[] {1, 2, 3, 4}) {
      hostile.add(ended(addresses(first)));
    }
  }

  /** As many places as may be told, where nothing listens. */
  static byte[] addresses(int network) {
    return frame(
        out -> out.writeByte(ADDRESSES_FRAME),
        out -> varint(out, MAX_TOLD),
        out -> {
          for (int i = 0; i < MAX_TOLD; i++) {
            blob(out, new byte[] {127, 1, (byte) network, 1});
            varint(out, FIRST_DEAD_PORT + i);
          }
        });
  }

  private static void addMessages(List<byte[]> hostile, int code, Random random) {
    byte[] body = new byte[random.nextInt(MAX_BODY_BYTES)];
    random.nextBytes(body);
    byte[] grid = new byte[Long.BYTES];
    random.nextBytes(grid);
    Part huge =
        out -> {
          for (int i = 0; i < 8; i++) {
            varint(out, Integer.MAX_VALUE - i);
          }
        };
    hostile.add(ended(message(code, random.nextLong(), out -> out.write(body))));
    hostile.add(
        ended(message(code, random.nextLong(), out -> out.write(grid), out -> out.write(body))));
    hostile.add(ended(message(code, 0, huge)));
    hostile.add(ended(message(code, 0, out -> out.write(new byte[16]), huge)));
    hostile.add(ended(message(code, random.nextLong(), StrangerFrames::prize)));
  }

  private static byte[] message(int code, long request, Part... body) {
    byte[] written = bytes(body);
    return frame(
        out -> out.writeByte(MESSAGE_FRAME),
        out -> out.writeByte(MESSAGE_VERSION),
        out -> out.writeByte(code),
        out -> varint(out, request),
        out -> out.write(written));
  }

  // ------------------------------------------------------------------ what breaks no rule

  /** Nothing, to keep a connection open. */
  static byte[] heartbeat() {
    return frame(out -> out.writeByte(HEARTBEAT_FRAME));
  }

  /** The beginning of a message of 60 MiB. */
  static byte[] beginning() {
    return bytes(out -> out.writeInt(60 << 20), out -> out.writeByte(MESSAGE_FRAME));
  }

  /** Well-formed messages that a node answers, and places where it would look for others. */
  static byte[] greedy(Random random) {
    UUID grid = new UUID(random.nextLong(), random.nextLong());
    Part hello =
        out -> {
          out.writeLong(grid.getMostSignificantBits());
          out.writeLong(grid.getLeastSignificantBits());
          out.writeBoolean(false);
          out.writeLong(Long.MAX_VALUE / 2);
          out.writeBoolean(false);
          out.writeBoolean(false);
          varint(out, 0);
          out.writeByte(0);
        };
    byte[] asked = message(HELLO, 0, hello);
    byte[] answer = message(RESPONSE, random.nextLong(), out -> out.write(new byte[LONG_BYTES]));
    return bytes(
        out -> out.write(answer),
        out -> {
          for (int i = 0; i < 200; i++) {
            out.write(asked);
          }
        },
        out -> out.write(addresses(random.nextInt(100))));
  }

  /** The address of a stranger: strangers of different numbers have different ones. */
  static InetAddress addressOf(int number) {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (number % 200 + 1)});
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has four bytes", e);
    }
  }

  private static void prize(DataOutputStream out) throws IOException {
    out.writeInt(0xACED_0005);
    out.writeBytes("sr");
    out.writeUTF(StrangersPrize.class.getName());
    out.writeLong(7);
    out.writeByte(2);
    out.writeShort(0);
    out.writeBytes("xp");
  }
}
