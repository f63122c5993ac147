package io.cantle.jgroups;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jgroups.Header;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.FailureDetection.HeartbeatHeader;
import org.jgroups.protocols.FragHeader;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.util.AsciiString;
import org.jgroups.util.ByteArrayDataInputStream;

/**
 * Reads the headers that the protocols of {@link ProtocolStack} put on a message, each in its only
 * valid form, and no others. The headers of ordinary messages are constructed here. Rarer ones are
 * checked byte by byte and then read by a class of JGroups, which is named in this code and not by
 * the wire.
 *
 * <p><b>Threading:</b> any thread.
 */
final class HeaderReader {
  private static final short DISCOVERY = ClassConfigurator.getProtocolId(TCPPING.class);
  private static final short MERGE = ClassConfigurator.getProtocolId(MERGE3.class);
  private static final short MULTICAST = ClassConfigurator.getProtocolId(NAKACK2.class);
  static final short UNICAST = ClassConfigurator.getProtocolId(UNICAST3.class);
  private static final short STABILITY = ClassConfigurator.getProtocolId(STABLE.class);
  static final short MEMBERSHIP = ClassConfigurator.getProtocolId(GMS.class);
  private static final short TRANSPORT = ClassConfigurator.getProtocolId(TP.class);
  private static final short HEARTBEATS = ClassConfigurator.getProtocolId(FD_ALL3.class);
  private static final short VERIFICATION = ClassConfigurator.getProtocolId(VERIFY_SUSPECT2.class);
  static final short FRAGMENTS = ClassConfigurator.getProtocolId(FRAG4.class);

  private static final short TRANSPORT_HEADER = new TpHeader().getMagicId();
  private static final short UNICAST_HEADER = new UnicastHeader3().getMagicId();
  private static final short FRAGMENT_HEADER = new FragHeader().getMagicId();
  private static final short HEARTBEAT_HEADER = new HeartbeatHeader().getMagicId();
  private static final short MULTICAST_HEADER = new NakAckHeader2().getMagicId();
  private static final short DISCOVERY_HEADER = new PingHeader().getMagicId();
  private static final short MERGE_HEADER = new MERGE3.MergeHeader().getMagicId();
  private static final short VERIFY_HEADER = new VERIFY_SUSPECT2.VerifyHeader().getMagicId();
  private static final short STABILITY_HEADER = new STABLE.StableHeader().getMagicId();
  private static final short MEMBERSHIP_HEADER = new GMS.GmsHeader().getMagicId();

  /** A message has at most one header of each protocol. */
  private static final int MAX_HEADERS = 8;

  private static final int MAX_STRING_BYTES = 256;
  private static final int MAX_FRAGMENTS =
      Math.ceilDiv(Transport.MAX_MESSAGE_BYTES, ProtocolStack.FRAGMENT_BYTES);

  private static final int MERGE_TYPES = 3;
  private static final int MERGE_ID_PRESENT = GMS.GmsHeader.MERGE_ID_PRESENT;
  private static final int MERGE_REJECTED = GMS.GmsHeader.MERGE_REJECTED;

  private final byte[] gridName;

  /** Creates a reader for the messages of a grid. */
  HeaderReader(String gridName) {
    this.gridName = new AsciiString(gridName).val();
  }

  /** Reads all headers of a message, one of which must name the grid. */
  Header[] readAll(Input in) {
    int count = in.readShort();
    if (count < 1 || count > MAX_HEADERS) {
      throw new MalformedException("a message has " + count + " headers");
    }
    Header[] headers = new Header[count];
    boolean named = false;
    for (int i = 0; i < count; i++) {
      short protocol = in.readShort();
      for (int before = 0; before < i; before++) {
        if (headers[before].getProtId() == protocol) {
          throw new MalformedException("a message has two headers of protocol " + protocol);
        }
      }
      headers[i] = read(protocol, in.readShort(), in).setProtId(protocol);
      named |= protocol == TRANSPORT;
    }
    if (!named) {
      throw new MalformedException("a message does not name the grid");
    }
    return headers;
  }

  private Header read(short protocol, short type, Input in) {
    if (protocol == TRANSPORT && type == TRANSPORT_HEADER) {
      return readGridHeader(in);
    }
    if (protocol == UNICAST && type == UNICAST_HEADER) {
      return readUnicastHeader(in);
    }
    if (protocol == FRAGMENTS && type == FRAGMENT_HEADER) {
      return readFragmentHeader(in);
    }
    if (protocol == HEARTBEATS && type == HEARTBEAT_HEADER) {
      return new HeartbeatHeader();
    }
    int start = in.position();
    Header header = checkHeader(protocol, type, in);
    try {
      header.readFrom(new ByteArrayDataInputStream(in.array(), start, in.position() - start));
    } catch (IOException | ClassNotFoundException e) {
      throw new MalformedException("a header of protocol " + protocol + ": " + e.getMessage());
    }
    return header;
  }

  /**
   * Checks a header up to its end, and returns an empty header of its class that is still to be
   * read.
   */
  private static Header checkHeader(short protocol, short type, Input in) {
    if (protocol == MULTICAST && type == MULTICAST_HEADER) {
      checkMulticast(in);
      return new NakAckHeader2();
    }
    if (protocol == DISCOVERY && type == DISCOVERY_HEADER) {
      checkType(in.readByte(), PingHeader.GET_MBRS_REQ, PingHeader.GET_MBRS_RSP);
      checkString(in);
      in.readBoolean();
      return new PingHeader();
    }
    if (protocol == MERGE && type == MERGE_HEADER) {
      checkType(in.readByte(), 0, MERGE_TYPES - 1);
      PayloadGrammar.checkViewIdOrNone(in);
      checkString(in);
      AddressReader.checkPhysicalAddressOrNone(in);
      return new MERGE3.MergeHeader();
    }
    if (protocol == VERIFICATION && type == VERIFY_HEADER) {
      checkType(in.readShort(), 1, 2);
      AddressReader.readMember(in);
      return new VERIFY_SUSPECT2.VerifyHeader();
    }
    if (protocol == STABILITY && type == STABILITY_HEADER) {
      checkType(in.readByte(), STABLE.StableHeader.STABLE_GOSSIP, STABLE.StableHeader.STABILITY);
      PayloadGrammar.checkViewIdOrNone(in);
      return new STABLE.StableHeader();
    }
    if (protocol == MEMBERSHIP && type == MEMBERSHIP_HEADER) {
      checkMembership(in);
      return new GMS.GmsHeader();
    }
    throw new MalformedException("a header of protocol " + protocol + " and class " + type);
  }

  private TpHeader readGridHeader(Input in) {
    int length = in.readShort();
    if (length != gridName.length || !Arrays.equals(in.readBytes(length), gridName)) {
      throw new MalformedException("a message names another grid");
    }
    if (in.readByte() != 0) {
      throw new MalformedException("a message asks for round-trip times");
    }
    return new TpHeader(gridName);
  }

  private static UnicastHeader3 readUnicastHeader(Input in) {
    int type = in.readByte();
    return switch (type) {
      case UnicastHeader3.DATA ->
          UnicastHeader3.createDataHeader(readPositive(in), in.readShort(), in.readBoolean());
      case UnicastHeader3.ACK ->
          UnicastHeader3.createAckHeader(readNumber(in), in.readShort(), readShortNumber(in));
      case UnicastHeader3.SEND_FIRST_SEQNO ->
          UnicastHeader3.createSendFirstSeqnoHeader(readShortNumber(in));
      case UnicastHeader3.XMIT_REQ -> UnicastHeader3.createXmitReqHeader();
      case UnicastHeader3.CLOSE -> UnicastHeader3.createCloseHeader(in.readShort());
      default -> throw new MalformedException("a unicast header is of type " + type);
    };
  }

  private static FragHeader readFragmentHeader(Input in) {
    long id = readNumber(in);
    int index = readShortNumber(in);
    int count = readShortNumber(in);
    boolean serialized = in.readBoolean();
    short originalType = in.readShort();
    if (index < 0 || index >= count || count > MAX_FRAGMENTS || serialized || originalType != 0) {
      throw new MalformedException(
          "fragment " + index + " of " + count + " of a message of type " + originalType);
    }
    return new FragHeader(id, index, count);
  }

  private static void checkMulticast(Input in) {
    int type = in.readByte();
    switch (type) {
      case NakAckHeader2.MSG, NakAckHeader2.XMIT_RSP, NakAckHeader2.HIGHEST_SEQNO -> readNumber(in);
      case NakAckHeader2.XMIT_REQ -> AddressReader.readMember(in);
      default -> throw new MalformedException("a multicast header is of type " + type);
    }
  }

  private static void checkMembership(Input in) {
    checkType(in.readByte(), GMS.GmsHeader.JOIN_REQ, GMS.GmsHeader.GET_CURRENT_VIEW);
    int flags = in.readShort();
    AddressReader.checkMemberOrNone(in);
    if ((flags & ~(MERGE_ID_PRESENT | MERGE_REJECTED)) != 0) {
      throw new MalformedException("a membership header has flags " + flags);
    }
    if ((flags & MERGE_ID_PRESENT) != 0) {
      AddressReader.readMember(in);
      in.readInt();
    }
  }

  private static void checkType(int type, int first, int last) {
    if (type < first || type > last) {
      throw new MalformedException("type " + type + " is not within " + first + ".." + last);
    }
  }

  /** Checks for a short text as {@code DataOutput.writeUTF} writes it, or none. */
  static void checkString(Input in) {
    if (in.readBoolean()) {
      checkText(in);
    }
  }

  /** Checks for a short text as {@code DataOutput.writeUTF} writes it. */
  static void checkText(Input in) {
    int length = in.readShort() & 0xFFFF;
    if (length > MAX_STRING_BYTES) {
      throw new MalformedException("a text has " + length + " bytes");
    }
    String text = new String(in.readBytes(length), StandardCharsets.ISO_8859_1);
    if (text.indexOf('\0') >= 0) {
      throw new MalformedException("a text contains a zero character");
    }
  }

  /** Reads a number of up to eight bytes, the lowest first, preceded by their count. */
  static long readNumber(Input in) {
    return readNumber(in, in.readByte(), Long.BYTES);
  }

  private static long readPositive(Input in) {
    long number = readNumber(in);
    if (number <= 0) {
      throw new MalformedException("a message has the number " + number);
    }
    return number;
  }

  private static int readShortNumber(Input in) {
    return (int) readNumber(in, in.readByte(), Integer.BYTES);
  }

  /** Reads a number of {@code count} bytes, which must be at most {@code most}. */
  static long readNumber(Input in, int count, int most) {
    if (count > most) {
      throw new MalformedException("a number has " + count + " bytes");
    }
    long value = 0;
    for (int i = 0; i < count; i++) {
      value |= (long) in.readByte() << (i * Byte.SIZE);
    }
    return value;
  }
}
