package io.cantle.jgroups;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads addresses as JGroups writes them: member addresses, which {@link MemberAddress} makes, and
 * physical addresses. The reader of JGroups would instantiate any class that a number on the wire
 * names.
 *
 * <p><b>Threading:</b> any thread; stateless.
 */
final class AddressReader {
  private static final short MEMBER_CLASS = ClassConfigurator.getMagicNumber(ExtendedUUID.class);
  private static final int SCOPED_BYTES = 16;
  private static final int UNSCOPED_BYTES = 4;

  private AddressReader() {}

  /** Reads a member address, a physical address, or none. */
  static @Nullable Address readAny(Input in) {
    int kind = in.readByte();
    return switch (kind) {
      case Address.NULL -> null;
      case Address.IP_ADDR -> readPhysicalAddress(in);
      case 0 -> readMemberAddress(in);
      default -> throw new MalformedException("an address is of kind " + kind);
    };
  }

  /** Reads a member address. */
  static ExtendedUUID readMember(Input in) {
    if (readAny(in) instanceof ExtendedUUID member) {
      return member;
    }
    throw new MalformedException("an address is not a member address");
  }

  /** Checks for a member address or none. */
  static void checkMemberOrNone(Input in) {
    if (readAny(in) instanceof IpAddress) {
      throw new MalformedException("an address is not a member address");
    }
  }

  /** Checks for a physical address or none. */
  static void checkPhysicalAddressOrNone(Input in) {
    if (readAny(in) instanceof ExtendedUUID) {
      throw new MalformedException("an address is not a physical address");
    }
  }

  private static ExtendedUUID readMemberAddress(Input in) {
    short type = in.readShort();
    if (type != MEMBER_CLASS) {
      throw new MalformedException("an address is of class " + type);
    }
    long leastBits = in.readLong();
    ExtendedUUID member = new ExtendedUUID(in.readLong(), leastBits);
    if (in.readByte() != 0) {
      throw new MalformedException("the address of a member has flags");
    }
    int parts = in.readByte();
    if (parts > MemberAddress.MAX_PARTS) {
      throw new MalformedException("the address of a member has " + parts + " parts");
    }
    for (int i = 0; i < parts; i++) {
      String part = new String(in.readBytes(in.readByte()), StandardCharsets.ISO_8859_1);
      byte[] value = in.readBytes(in.readByte());
      if (!MemberAddress.isPart(part, value.length) || member.keyExists(part)) {
        throw new MalformedException("the address of a member has an unknown part");
      }
      member.put(part, value);
    }
    return member;
  }

  private static IpAddress readPhysicalAddress(Input in) {
    int length = in.readByte();
    if (length != UNSCOPED_BYTES && length != SCOPED_BYTES) {
      throw new MalformedException("an address has " + length + " bytes");
    }
    byte[] bytes = in.readBytes(length);
    if (length == SCOPED_BYTES) {
      in.readInt();
    }
    return new IpAddress(inetAddress(bytes), in.readShort() & 0xFFFF);
  }

  /** Returns the address of four or sixteen bytes. */
  static InetAddress inetAddress(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }
}
