package io.cantle.jgroups;

import io.cantle.core.base.MalformedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jgroups.Version;
import org.jgroups.blocks.cs.Connection;

/**
 * The bytes that a node sends first on each connection it opens. A connection must send them before
 * anything else of this node learns of it:
 *
 * <pre>
 * 8 bytes    "CANTLE" and the version of this opening, 1
 * 32 bytes   SHA-256 of "cantle grid " and the grid's name
 * then what JGroups sends first:
 * 4 bytes    its cookie
 * 2 bytes    its version
 * 2 bytes    the length of the address
 * 7, 23      the address the node listens at: a length of 4 or 16, the address, with a scope of 4
 *            bytes behind one of 16, and the port
 * </pre>
 *
 * <p>It proves only that the peer knows the grid's name. A stronger proof would take its place
 * here.
 *
 * <p><b>Threading:</b> immutable; a {@link OpeningReader} is used by one thread.
 */
final class ConnectionOpening {
  private static final byte[] MAGIC = {'C', 'A', 'N', 'T', 'L', 'E', 0, 1};
  private static final int NAME_BYTES = 32;

  /** The length of the part before the bytes of JGroups. */
  static final int BYTES = MAGIC.length + NAME_BYTES;

  private static final int COOKIE_BYTES = Connection.cookie.length;

  /** The length up to and including the length of the address. */
  private static final int FIXED_BYTES = BYTES + COOKIE_BYTES + 2 * Short.BYTES + Byte.BYTES;

  private static final int MAX_ADDRESS_BYTES = 16;
  private static final int MAX_BYTES =
      FIXED_BYTES + MAX_ADDRESS_BYTES + Integer.BYTES + Short.BYTES;

  private final byte[] bytes = new byte[BYTES];

  /** Creates the opening of a grid's connections. */
  ConnectionOpening(String gridName) {
    System.arraycopy(MAGIC, 0, bytes, 0, MAGIC.length);
    try {
      byte[] named = ("cantle grid " + gridName).getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(named);
      System.arraycopy(hash, 0, bytes, MAGIC.length, NAME_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The bytes to send before JGroups sends anything. */
  ByteBuffer bytes() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  /** Creates a reader of the opening of one connection. */
  OpeningReader reader(InetAddress remote) {
    return new OpeningReader(remote);
  }

  /** The state of a connection, judged by what has arrived. */
  enum Verdict {
    /** More bytes must arrive. */
    INCOMPLETE,
    /** Everything has arrived and is valid. */
    ADMITTED,
    /** The peer is a node of another grid; many grids may share one machine. */
    OTHER_GRID
  }

  /**
   * Reads the opening of one connection, and not a byte more, into a buffer of a few dozen bytes. A
   * wrong opening is refused at its first wrong byte.
   */
  final class OpeningReader {
    private final ByteBuffer buffer = ByteBuffer.allocate(MAX_BYTES).limit(BYTES);
    private final InetAddress remote;

    private OpeningReader(InetAddress remote) {
      this.remote = remote;
    }

    /**
     * The buffer for arriving bytes; it has room only for what certainly belongs to the opening.
     */
    ByteBuffer buffer() {
      return buffer;
    }

    /**
     * Judges what has arrived; called after each read.
     *
     * @throws MalformedException if the peer is not a node; the message says what it did
     */
    Verdict judge() {
      int arrived = buffer.position();
      int magic = Math.min(arrived, MAGIC.length);
      if (!Arrays.equals(buffer.array(), 0, magic, MAGIC, 0, magic)) {
        throw new MalformedException("sent something other than the opening of a node");
      }
      if (arrived < BYTES) {
        return Verdict.INCOMPLETE;
      }
      if (buffer.limit() == BYTES) {
        if (!MessageDigest.isEqual(Arrays.copyOf(buffer.array(), BYTES), bytes)) {
          return Verdict.OTHER_GRID;
        }
        buffer.limit(FIXED_BYTES);
      }
      if (arrived < FIXED_BYTES) {
        return Verdict.INCOMPLETE;
      }
      return arrived == FIXED_BYTES && buffer.limit() == FIXED_BYTES
          ? judgeHead()
          : judgeAddress(arrived);
    }

    private Verdict judgeHead() {
      byte[] array = buffer.array();
      if (!Arrays.equals(array, BYTES, BYTES + COOKIE_BYTES, Connection.cookie, 0, COOKIE_BYTES)) {
        throw new MalformedException("sent something other than the opening of JGroups");
      }
      short version = buffer.getShort(BYTES + COOKIE_BYTES);
      if (!Version.isBinaryCompatible(version)) {
        throw new MalformedException(
            "has JGroups " + Version.print(version) + ", not " + Version.printVersion());
      }
      int length = array[FIXED_BYTES - 1];
      if (length != 4 && length != MAX_ADDRESS_BYTES) {
        throw new MalformedException("claims an address of " + length + " bytes");
      }
      int scope = length == MAX_ADDRESS_BYTES ? Integer.BYTES : 0;
      buffer.limit(FIXED_BYTES + length + scope + Short.BYTES);
      return Verdict.INCOMPLETE;
    }

    private Verdict judgeAddress(int arrived) {
      if (arrived < buffer.limit()) {
        return Verdict.INCOMPLETE;
      }
      int length = buffer.array()[FIXED_BYTES - 1];
      byte[] claimed = Arrays.copyOfRange(buffer.array(), FIXED_BYTES, FIXED_BYTES + length);
      if (!Arrays.equals(claimed, remote.getAddress())) {
        throw new MalformedException("claims an address that it does not come from");
      }
      return Verdict.ADMITTED;
    }

    /** The address at which an admitted peer claims to listen: its own, with the port it says. */
    InetSocketAddress listeningAddress() {
      int port = buffer.getShort(buffer.limit() - Short.BYTES) & 0xFFFF;
      return new InetSocketAddress(remote, port);
    }

    /** The part of an admitted peer's opening that JGroups reads. */
    ByteBuffer forJGroups() {
      return ByteBuffer.wrap(buffer.array(), BYTES, buffer.limit() - BYTES).slice();
    }
  }
}
