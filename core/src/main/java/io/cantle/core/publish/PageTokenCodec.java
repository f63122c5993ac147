package io.cantle.core.publish;

import io.cantle.ScanCursor;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.wire.ScanTarget;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a position in a cache as the text of a page cursor. The text holds everything that is
 * needed to continue, so no node has to remember anything.
 *
 * <p><b>Threading:</b> immutable.
 */
final class PageTokenCodec {
  private static final int VERSION = 2;
  private static final int MAX_CHARACTERS = 32 << 20;

  private final UUID gridId;
  private final String cache;
  private final int cacheIndex;
  private final int segmentCount;

  /** Creates a codec for the cursors of one cache. */
  PageTokenCodec(UUID gridId, String cache, int cacheIndex, int segmentCount) {
    this.gridId = gridId;
    this.cache = cache;
    this.cacheIndex = cacheIndex;
    this.segmentCount = segmentCount;
  }

  /** Encodes a position. The position after the last segment is the end. */
  ScanCursor encode(ScanTarget place) {
    if (place.segment() == segmentCount) {
      return ScanCursor.END;
    }
    Output out = new Output(64 + place.cursor().key().length);
    out.writeByte(VERSION);
    out.writeId(gridId);
    out.writeInt(checksum(cache.getBytes(StandardCharsets.UTF_8)));
    out.writeVarint(cacheIndex);
    out.writeVarint(place.segment());
    place.cursor().write(out);
    out.writeInt(checksum(out.toByteArray()));
    return new ScanCursor(
        Base64.getUrlEncoder().withoutPadding().encodeToString(out.toByteArray()));
  }

  /**
   * Decodes a position.
   *
   * @throws IllegalArgumentException if the text is no cursor, or belongs to another cache or grid
   */
  ScanTarget decode(ScanCursor cursor) {
    if (cursor.equals(ScanCursor.START)) {
      return new ScanTarget(0, SegmentCursor.START);
    }
    if (cursor.atEnd()) {
      return new ScanTarget(segmentCount, SegmentCursor.START);
    }
    try {
      return readPosition(decodeBase64(cursor.token()));
    } catch (MalformedException e) {
      throw invalidToken("it is cut short or mistyped", e);
    }
  }

  private static byte[] decodeBase64(String token) {
    if (token.length() > MAX_CHARACTERS) {
      throw invalidToken(
          "its " + token.length() + " characters are more than any cursor has", null);
    }
    try {
      return Base64.getUrlDecoder().decode(token);
    } catch (IllegalArgumentException e) {
      boolean isBase64 = token.matches("[A-Za-z0-9_-]*");
      throw invalidToken(
          isBase64 ? "it is cut short or mistyped" : "it is not made of letters, digits, - and _",
          e);
    }
  }

  private ScanTarget readPosition(byte[] bytes) {
    Input in = new Input(bytes);
    int version = in.readByte();
    if (version != VERSION) {
      throw invalidToken("it is of version " + version + ", this node reads " + VERSION, null);
    }
    int bodyLength = bytes.length - Integer.BYTES;
    Input trailer = new Input(bytes);
    trailer.skip(bodyLength);
    if (trailer.readInt() != checksum(Arrays.copyOf(bytes, bodyLength))) {
      throw invalidToken("it is cut short or mistyped", null);
    }
    UUID grid = in.readId();
    // Checked before the grid: a local cache is a grid of its own, which would not explain the
    // mistake to the user.
    if (in.readInt() != checksum(cache.getBytes(StandardCharsets.UTF_8))) {
      throw invalidToken("it is of another cache than \"" + cache + "\"", null);
    }
    if (!grid.equals(gridId)) {
      throw invalidToken("it is of grid " + grid + ", this is " + gridId + "; begin again", null);
    }
    if (in.readCount() != cacheIndex) {
      throw invalidToken("cache \"" + cache + "\" was destroyed since; begin again", null);
    }
    int segment = in.readCount();
    if (segment >= segmentCount) {
      throw invalidToken(
          "its segment " + segment + " is not within 0.." + (segmentCount - 1), null);
    }
    SegmentCursor cursor = SegmentCursor.read(in);
    if (in.remaining() != Integer.BYTES) {
      throw invalidToken("it is longer than its content", null);
    }
    return new ScanTarget(segment, cursor);
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length);
    return (int) checksum.getValue();
  }

  private static IllegalArgumentException invalidToken(String reason, @Nullable Exception cause) {
    return new IllegalArgumentException("the cursor cannot be used: " + reason, cause);
  }
}
