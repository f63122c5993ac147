package io.cantle.jgroups;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
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
import org.jgroups.protocols.VERIFY_SUSPECT2.VerifyHeader;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.GMS.GmsHeader;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.protocols.pbcast.STABLE.StableHeader;
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
  static final short UNICAST = ClassConfigurator.getProtocolId(UNICAST3.class);
  static final short MEMBERSHIP = ClassConfigurator.getProtocolId(GMS.class);
  static final short FRAGMENTS = ClassConfigurator.getProtocolId(FRAG4.class);
  private static final short TRANSPORT = ClassConfigurator.getProtocolId(TP.class);

  /** A message has at most one header of each protocol. */
  private static final int MAX_HEADERS = 8;

  private static final int MAX_STRING_BYTES = 256;
  private static final int MAX_FRAGMENTS =
      Math.ceilDiv(Transport.MAX_MESSAGE_BYTES, ProtocolStack.FRAGMENT_BYTES);

  private static final int MERGE_TYPES = 3;
  private static final int MERGE_ID_PRESENT = GmsHeader.MERGE_ID_PRESENT;
  private static final int MERGE_REJECTED = GmsHeader.MERGE_REJECTED;

  private final byte[] gridName;

  /** The headers that are known, those of ordinary messages first. */
  private final HeaderKind[] kinds;

  /** The only class of headers that a protocol puts on messages, and how one is read. */
  private record HeaderKind(short protocol, short type, Function<Input, Header> reader) {}

  /** Creates a reader for the messages of a grid. */
  HeaderReader(String gridName) {
    this.gridName = new AsciiString(gridName).val();
    this.kinds =
        new HeaderKind[] {
          kind(TP.class, TpHeader::new, this::readGridHeader),
          kind(UNICAST3.class, UnicastHeader3::new, HeaderReader::readUnicastHeader),
          kind(FRAG4.class, FragHeader::new, HeaderReader::readFragmentHeader),
          kind(FD_ALL3.class, HeartbeatHeader::new, _ -> new HeartbeatHeader()),
          checked(NAKACK2.class, NakAckHeader2::new, HeaderReader::checkMulticast),
          checked(TCPPING.class, PingHeader::new, HeaderReader::checkDiscovery),
          checked(MERGE3.class, MERGE3.MergeHeader::new, HeaderReader::checkMerge),
          checked(VERIFY_SUSPECT2.class, VerifyHeader::new, HeaderReader::checkVerification),
          checked(STABLE.class, StableHeader::new, HeaderReader::checkStability),
          checked(GMS.class, GmsHeader::new, HeaderReader::checkMembership)
        };
  }

  private static HeaderKind kind(
      Class<?> protocol, Supplier<Header> empty, Function<Input, Header> reader) {
    return new HeaderKind(
        ClassConfigurator.getProtocolId(protocol), empty.get().getMagicId(), reader);
  }

  /** A kind whose headers are checked up to their end, and then read by JGroups. */
  private static HeaderKind checked(
      Class<?> protocol, Supplier<Header> empty, Consumer<Input> check) {
    return kind(
        protocol,
        empty,
        in -> {
          int start = in.position();
          check.accept(in);
          Header header = empty.get();
          try {
            header.readFrom(new ByteArrayDataInputStream(in.array(), start, in.position() - start));
          } catch (IOException | ClassNotFoundException e) {
            throw new MalformedException(
                "a header of protocol " + protocol.getSimpleName() + ": " + e.getMessage());
          }
          return header;
        });
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
    for (HeaderKind kind : kinds) {
      if (protocol == kind.protocol && type == kind.type) {
        return kind.reader.apply(in);
      }
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

  private static void checkDiscovery(Input in) {
    checkType(in.readByte(), PingHeader.GET_MBRS_REQ, PingHeader.GET_MBRS_RSP);
    checkString(in);
    in.readBoolean();
  }

  private static void checkMerge(Input in) {
    checkType(in.readByte(), 0, MERGE_TYPES - 1);
    PayloadGrammar.checkViewIdOrNone(in);
    checkString(in);
    AddressReader.checkPhysicalAddressOrNone(in);
  }

  private static void checkVerification(Input in) {
    checkType(in.readShort(), 1, 2);
    AddressReader.readMember(in);
  }

  private static void checkStability(Input in) {
    checkType(in.readByte(), StableHeader.STABLE_GOSSIP, StableHeader.STABILITY);
    PayloadGrammar.checkViewIdOrNone(in);
  }

  private static void checkMembership(Input in) {
    checkType(in.readByte(), GmsHeader.JOIN_REQ, GmsHeader.GET_CURRENT_VIEW);
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
