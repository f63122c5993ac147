package io.cantle.jgroups;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.BaseMessage;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Version;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.pbcast.GMS.GmsHeader;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.protocols.pbcast.STABLE.StableHeader;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.SizeStreamable;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the frames of one connection into messages, in place of JGroups, whose readers trust the
 * wire: they allocate what a length claims, instantiate any class that a number names, and
 * deserialize objects. This decoder accepts only what the protocols of {@link ProtocolStack} send
 * to each other, in its only valid form, and messages of bytes. Everything else is malformed. No
 * type of message, header or object is looked up by a number or a name, because the known ones are
 * written here.
 *
 * <p>All messages of a connection are from one member, the one that listens at the address in the
 * connection's opening. The only exception is a message retransmitted on behalf of another member.
 *
 * <p><b>Threading:</b> one thread, the reader of the connection.
 */
final class FrameDecoder {
  /** Two bytes for the version, one for flags, two for the type, and so on. */
  static final int MIN_FRAME_BYTES = 8;

  /** A fragment with its headers and addresses; all other frames are shorter. */
  static final int MAX_FRAME_BYTES = ProtocolStack.FRAGMENT_BYTES + (192 << 10);

  /** The limit of urgent messages, which are short. */
  private static final int MAX_URGENT_BYTES = 4 << 10;

  private static final int HAS_DESTINATION = 1;
  private static final int HAS_SOURCE = 2;
  private static final int NO_PAYLOAD = -1;

  /**
   * The known flags. SERIALIZED is not among them: it makes JGroups deserialize the bytes of a
   * message.
   */
  private static final int KNOWN_FLAGS =
      Message.Flag.OOB.value()
          | Message.Flag.DONT_BUNDLE.value()
          | Message.Flag.NO_FC.value()
          | Message.Flag.NO_RELIABILITY.value()
          | Message.Flag.NO_TOTAL_ORDER.value()
          | Message.Flag.NO_RELAY.value();

  private static final short MISSING_CLASS = ClassConfigurator.getMagicNumber(SeqnoList.class);
  private static final short DIGEST_CLASS = ClassConfigurator.getMagicNumber(Digest.class);
  private static final short MUTABLE_DIGEST_CLASS =
      ClassConfigurator.getMagicNumber(MutableDigest.class);

  private final HeaderReader headerReader;
  private final RememberedAddress source = new RememberedAddress();
  private final RememberedAddress destination = new RememberedAddress();
  private @Nullable Address connectionOwner;

  /** Creates a decoder for a connection between nodes of a grid. */
  FrameDecoder(HeaderReader headerReader) {
    this.headerReader = headerReader;
  }

  /**
   * Decodes the message in a frame. The message refers to the bytes of the frame.
   *
   * @param place the address at which the peer of the connection listens
   * @throws MalformedException if the frame is anything else
   */
  Message decode(byte[] frame, Address place) {
    Input in = new Input(frame);
    short version = in.readShort();
    if (!Version.isBinaryCompatible(version)) {
      throw new MalformedException("version " + Version.print(version));
    }
    int kind = in.readByte();
    if (kind != 0 && kind != TP.MULTICAST) {
      throw new MalformedException("a frame of kind " + kind);
    }
    short type = in.readShort();
    int leading = in.readByte();
    int hasDestination = kind == 0 ? HAS_DESTINATION : 0;
    if (leading != (HAS_SOURCE | hasDestination)) {
      throw new MalformedException("a message with the address flags " + leading);
    }
    short flags = in.readShort();
    if ((flags & ~KNOWN_FLAGS) != 0) {
      throw new MalformedException("a message with the flags " + flags);
    }
    Address to = hasDestination == 0 ? null : destination.read(in);
    Address from = source.read(in);
    Header[] headers = headerReader.readAll(in);
    checkSource(from, headers, place);
    BaseMessage message = decodeBody(type, headers, flags, in);
    message.setDest(to).setSrc(from).setFlag(flags, false, false);
    return message;
  }

  private void checkSource(Address from, Header[] headers, Address place) {
    if (from.equals(connectionOwner)) {
      return;
    }
    if (connectionOwner != null && isResent(headers)) {
      return;
    }
    if (connectionOwner != null || !place.equals(MemberAddress.listeningAddressOf(from))) {
      throw new MalformedException("a message whose sender is not the peer of its connection");
    }
    connectionOwner = from;
  }

  /**
   * Whether a message is a multicast that was sent again. The protocols below the one for
   * multicasts have no header on it, so none of them takes the sender for the peer.
   */
  private static boolean isResent(Header[] headers) {
    List<Header> others =
        Stream.of(headers)
            .filter(header -> !(header instanceof TpHeader || header instanceof GmsHeader))
            .toList();
    return others.size() == 1
        && others.getFirst() instanceof NakAckHeader2 multicast
        && multicast.getType() == NakAckHeader2.XMIT_RSP;
  }

  /** The content of a message, as its headers say. */
  private enum Content {
    /** Bytes of the application. */
    DATA,
    /** Nodes that were found by discovery. */
    NODES,
    /** A view. */
    VIEW,
    /** Views and digests, depending on the type of the header. */
    MEMBERSHIP,
    /** Which messages were received from which members, as an object. */
    DIGEST,
    /** Which messages are missing, as an object. */
    MISSING
  }

  private static Content contentOf(Header[] headers) {
    Content content = Content.DATA;
    for (Header header : headers) {
      Content said =
          switch (header) {
            case PingHeader _ -> Content.NODES;
            case MERGE3.MergeHeader _ -> Content.VIEW;
            case GmsHeader _ -> Content.MEMBERSHIP;
            case StableHeader _ -> Content.DIGEST;
            case UnicastHeader3 unicast when unicast.type() == UnicastHeader3.XMIT_REQ ->
                Content.MISSING;
            case NakAckHeader2 multicast when multicast.getType() == NakAckHeader2.XMIT_REQ ->
                Content.MISSING;
            default -> Content.DATA;
          };
      if (said != Content.DATA) {
        if (content != Content.DATA) {
          throw new MalformedException("a message carries " + content + " and " + said);
        }
        content = said;
      }
    }
    return content;
  }

  private static BaseMessage decodeBody(short type, Header[] headers, short flags, Input in) {
    Content content = contentOf(headers);
    boolean object = content == Content.DIGEST || content == Content.MISSING;
    BaseMessage message;
    if (type == Message.EMPTY_MSG) {
      message = new EmptyMessage();
    } else if (type == Message.OBJ_MSG && object) {
      message = new ObjectMessage(null, decodeObject(content, in));
    } else if (type == Message.BYTES_MSG && !object) {
      message = decodeBytes(content, headers, flags, in);
    } else {
      throw new MalformedException("a message of type " + type + " that carries " + content);
    }
    in.requireEndOf("a message");
    message.headers(headers);
    if (message.getHeader(HeaderReader.FRAGMENTS) != null) {
      checkFragment(message, flags);
    }
    return message;
  }

  /** Checks that a fragment has a number; the layer that puts fragments together has no bound. */
  private static void checkFragment(BaseMessage message, short flags) {
    UnicastHeader3 numbered = message.getHeader(HeaderReader.UNICAST);
    if (numbered == null
        || numbered.type() != UnicastHeader3.DATA
        || (flags & Message.Flag.NO_RELIABILITY.value()) != 0
        || message.getLength() == 0) {
      throw new MalformedException("a fragment without a number or without bytes");
    }
  }

  private static BytesMessage decodeBytes(
      Content content, Header[] headers, short flags, Input in) {
    int length = in.readInt();
    BytesMessage message = new BytesMessage();
    message.headers(headers);
    if (length == NO_PAYLOAD) {
      return message;
    }
    if (length != in.remaining()) {
      throw new MalformedException(length + " bytes in a frame of " + in.remaining());
    }
    message.setArray(in.array(), in.position(), length);
    switch (content) {
      case NODES -> PayloadGrammar.checkNodesFound(in);
      case VIEW -> PayloadGrammar.checkView(in);
      case MEMBERSHIP -> {
        GmsHeader membership = Objects.requireNonNull(message.getHeader(HeaderReader.MEMBERSHIP));
        PayloadGrammar.checkMembership(membership.getType(), in);
      }
      default -> {
        checkReliable(message.getHeader(HeaderReader.UNICAST), flags, length);
        in.skip(length);
      }
    }
    return message;
  }

  /**
   * Checks that an application message has a number, by which it arrives in order and only once.
   * Urgent messages are the exception; they are short and have no number.
   */
  private static void checkReliable(@Nullable UnicastHeader3 unicast, short flags, int length) {
    boolean urgent = (flags & Message.Flag.NO_RELIABILITY.value()) != 0;
    boolean numbered = unicast != null && unicast.type() == UnicastHeader3.DATA;
    if (numbered == urgent) {
      throw new MalformedException(
          urgent ? "an urgent message with a number" : "a message of bytes without a number");
    }
    if (urgent && length > MAX_URGENT_BYTES) {
      throw new MalformedException("an urgent message of " + length + " bytes");
    }
  }

  private static SizeStreamable decodeObject(Content content, Input in) {
    if (in.readByte() != 1) {
      throw new MalformedException("a message that lacks the object it should carry");
    }
    short type = in.readShort();
    int start = in.position();
    SizeStreamable object;
    if (content == Content.MISSING && type == MISSING_CLASS) {
      PayloadGrammar.checkMissing(in);
      object = new SeqnoList();
    } else if (content == Content.DIGEST
        && (type == DIGEST_CLASS || type == MUTABLE_DIGEST_CLASS)) {
      PayloadGrammar.checkDigest(in);
      object = type == DIGEST_CLASS ? new Digest() : new MutableDigest();
    } else {
      throw new MalformedException("an object of class " + type + " as " + content);
    }
    try {
      object.readFrom(new ByteArrayDataInputStream(in.array(), start, in.position() - start));
    } catch (IOException | ClassNotFoundException e) {
      throw new MalformedException("an object of class " + type + ": " + e.getMessage());
    }
    return object;
  }

  /** Reads an address that is nearly always the same as in the previous frame. */
  private static final class RememberedAddress {
    private byte[] bytes = new byte[0];
    private @Nullable Address address;

    Address read(Input in) {
      int start = in.position();
      Address remembered = address;
      if (remembered != null
          && in.remaining() >= bytes.length
          && Arrays.equals(in.array(), start, start + bytes.length, bytes, 0, bytes.length)) {
        in.skip(bytes.length);
        return remembered;
      }
      Address read = AddressReader.readAny(in);
      if (read == null) {
        throw new MalformedException("a message without an address");
      }
      bytes = Arrays.copyOfRange(in.array(), start, in.position());
      address = read;
      return read;
    }
  }
}
