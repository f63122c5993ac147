package io.cantle.network;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Where nodes of the grid listen, as one tells another.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param addresses resolved addresses, at most {@value #MAX_ADDRESSES}
 */
record AddressList(List<InetSocketAddress> addresses) {
  /** The most addresses in a list. */
  static final int MAX_ADDRESSES = 1_024;

  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  /** Checks the number of addresses. */
  AddressList {
    addresses = List.copyOf(addresses);
    if (addresses.size() > MAX_ADDRESSES) {
      throw new IllegalArgumentException(
          addresses.size() + " addresses are more than " + MAX_ADDRESSES);
    }
  }

  /** Writes the list. */
  Output encode() {
    Output out = new Output(8 + addresses.size() * 8);
    out.writeList(addresses, address -> writeAddress(out, address));
    return out;
  }

  /**
   * Reads a list.
   *
   * @throws MalformedException if it is none, too long, or not all there is
   */
  static AddressList decode(Input in) {
    AddressList list = new AddressList(in.readList(MAX_ADDRESSES, AddressList::readAddress));
    if (in.remaining() != 0) {
      throw new MalformedException("a list of addresses has " + in.remaining() + " bytes too many");
    }
    return list;
  }

  /** Writes one address: its bytes, with their number before them, and the port. */
  static void writeAddress(Output out, InetSocketAddress address) {
    out.writeBlob(address.getAddress().getAddress());
    out.writeVarint(address.getPort());
  }

  /** Reads one address. */
  static InetSocketAddress readAddress(Input in) {
    byte[] bytes = in.readBlob();
    if (bytes.length != IPV4_BYTES && bytes.length != IPV6_BYTES) {
      throw new MalformedException("an address has " + bytes.length + " bytes, neither 4 nor 16");
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), in.readCount(0xFFFF));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("the length of an address was checked", e);
    }
  }
}
