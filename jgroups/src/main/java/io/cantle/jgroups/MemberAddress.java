package io.cantle.jgroups;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.jspecify.annotations.Nullable;

/**
 * The JGroups address of a member. Besides the id, it contains the member's name, its node id and
 * the address at which it listens. So a node that knows the address can name the member and connect
 * to it. JGroups alone would learn names and listening addresses by discovery, possibly after the
 * first view that needs them.
 */
final class MemberAddress {
  private static final String NAME = "n";
  private static final String LISTENING_ADDRESS = "p";
  private static final String NODE = "d";

  /** The most parts an address has besides the id. */
  static final int MAX_PARTS = 3;

  private static final int ID_BYTES = 2 * Long.BYTES;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  static {
    // JGroups would print every part of an address, and the bytes of most are not text.
    ExtendedUUID.setPrintFunction(MemberAddress::describe);
  }

  private MemberAddress() {}

  /** The name of the member of an address, as log lines of JGroups show it. */
  private static String describe(ExtendedUUID address) {
    byte[] name = address.get(NAME);
    return name == null ? address.print() : nameOf(name);
  }

  private static String nameOf(byte @Nullable [] name) {
    return name == null ? "?" : RateLimitedLog.printable(new String(name, StandardCharsets.UTF_8));
  }

  /** Creates the address of a member whose listening address is not known yet. */
  static ExtendedUUID of(Member member) {
    UUID id = member.id();
    ExtendedUUID address =
        new ExtendedUUID(id.getMostSignificantBits(), id.getLeastSignificantBits())
            .put(NAME, member.name().getBytes(StandardCharsets.UTF_8));
    if (!member.hasStore()) {
      return address;
    }
    Output node = new Output(ID_BYTES);
    node.writeId(member.nodeId());
    return address.put(NODE, node.toByteArray());
  }

  /** Whether an address may have a part of this name and length. */
  static boolean isPart(String name, int length) {
    return switch (name) {
      case NAME -> length > 0 && length <= JGroupsSettings.MAX_NAME_BYTES;
      case LISTENING_ADDRESS ->
          length == Character.BYTES + IPV4_BYTES || length == Character.BYTES + IPV6_BYTES;
      case NODE -> length == ID_BYTES;
      default -> false;
    };
  }

  /** Adds the listening address, before any other node has seen the address. */
  static void addListeningAddress(Address address, IpAddress place) {
    byte[] host = place.getIpAddress().getAddress();
    byte[] bytes =
        ByteBuffer.allocate(Character.BYTES + host.length)
            .putChar((char) place.getPort())
            .put(host)
            .array();
    extended(address).put(LISTENING_ADDRESS, bytes);
  }

  /** Returns the member of an address. */
  static Member memberOf(Address address) {
    ExtendedUUID extended = extended(address);
    byte[] name = extended.get(NAME);
    byte[] node = extended.get(NODE);
    UUID id = new UUID(extended.getMostSignificantBits(), extended.getLeastSignificantBits());
    return new Member(id, node == null ? id : new Input(node).readId(), nameOf(name));
  }

  /** Returns where the member of an address listens; null if the address does not say. */
  static @Nullable IpAddress listeningAddressOf(@Nullable Address address) {
    if (!(address instanceof ExtendedUUID extended)) {
      return null;
    }
    byte[] bytes = extended.get(LISTENING_ADDRESS);
    if (bytes == null) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int port = buffer.getChar();
    byte[] host = new byte[buffer.remaining()];
    buffer.get(host);
    return new IpAddress(AddressReader.inetAddress(host), port);
  }

  private static ExtendedUUID extended(Address address) {
    if (address instanceof ExtendedUUID extended) {
      return extended;
    }
    throw new IllegalStateException(
        "address %s is not an address of Cantle; does another program use this grid's name?"
            .formatted(address));
  }
}
