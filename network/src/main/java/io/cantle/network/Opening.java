package io.cantle.network;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import java.net.InetSocketAddress;

/**
 * The first frame of a connection in each direction: it says which grid, node and lane the
 * connection is of. The node that has opened the connection sends it first. The other answers with
 * its own if it accepts the connection, and closes it otherwise.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridName the name of the grid; nodes of other grids are not talked to
 * @param member the node that sends it
 * @param lane what the connection is for
 * @param listening where other nodes reach the sender
 */
record Opening(String gridName, Member member, Lane lane, InetSocketAddress listening) {
  /** The longest opening, in bytes. */
  static final int MAX_BYTES = 512;

  /** The first bytes of an opening: the letters CNTL. */
  private static final int MAGIC = 0x434E_544C;

  private static final int FORMAT = 1;

  /** Writes the opening. */
  Output encode() {
    Output out = new Output(MAX_BYTES);
    out.writeInt(MAGIC);
    out.writeByte(FORMAT);
    out.writeEnum(lane);
    out.writeString(gridName);
    member.write(out);
    AddressList.writeAddress(out, listening);
    return out;
  }

  /**
   * Reads an opening.
   *
   * @throws MalformedException if it is none, or one of another format
   */
  static Opening decode(Input in) {
    int magic = in.readInt();
    if (magic != MAGIC) {
      throw new MalformedException(
          "a connection begins with %08x instead of %08x: the peer is no node of Cantle"
              .formatted(magic, MAGIC));
    }
    int format = in.readByte();
    if (format != FORMAT) {
      throw new MalformedException(
          "an opening has format " + format + "; this node reads " + FORMAT);
    }
    Lane lane = in.readEnum(Lane.ALL);
    Opening opening =
        new Opening(
            in.readString(TransportSettings.MAX_NAME_BYTES),
            Member.read(in),
            lane,
            AddressList.readAddress(in));
    if (in.remaining() != 0) {
      throw new MalformedException("an opening has " + in.remaining() + " bytes too many");
    }
    return opening;
  }
}
