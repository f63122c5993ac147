package io.cantle.core.publish;

import io.cantle.ScanCursor;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Places in a cache as text: everything that is needed to go on, so that nobody remembers anything.
 *
 * <p><b>Threading:</b> immutable.
 */
final class Tokens {
  private static final int VERSION = 1;
  private static final int MAX_CHARACTERS = 32 << 20;

  private final UUID gridId;
  private final String cache;
  private final int segments;

  /** Tokens of one cache. */
  Tokens(UUID gridId, String cache, int segments) {
    this.gridId = gridId;
    this.cache = cache;
    this.segments = segments;
  }

  /** A segment and a place in it. */
  record Place(int segment, Cursor cursor) {}

  /** The text of a place; behind the last segment it is the end. */
  ScanCursor cursor(Place place) {
    if (place.segment == segments) {
      return ScanCursor.END;
    }
    Output out = new Output(64 + place.cursor.key().length);
    out.writeByte(VERSION);
    out.writeId(gridId);
    out.writeInt(checksum(cache.getBytes(StandardCharsets.UTF_8)));
    out.writeVarint(place.segment);
    place.cursor.write(out);
    out.writeInt(checksum(out.toByteArray()));
    return new ScanCursor(
        Base64.getUrlEncoder().withoutPadding().encodeToString(out.toByteArray()));
  }

  /**
   * The place of a text.
   *
   * @throws IllegalArgumentException if it is none, or of something else
   */
  Place place(ScanCursor cursor) {
    if (cursor.equals(ScanCursor.START)) {
      return new Place(0, Cursor.START);
    }
    if (cursor.atEnd()) {
      return new Place(segments, Cursor.START);
    }
    try {
      return read(bytes(cursor.token()));
    } catch (MalformedException e) {
      throw refused("it is cut short or mistyped", e);
    }
  }

  private static byte[] bytes(String token) {
    if (token.length() > MAX_CHARACTERS) {
      throw refused("its " + token.length() + " characters are more than any has", null);
    }
    try {
      return Base64.getUrlDecoder().decode(token);
    } catch (IllegalArgumentException e) {
      boolean shaped = token.matches("[A-Za-z0-9_-]*");
      throw refused(
          shaped ? "it is cut short or mistyped" : "it is not made of letters, digits, - and _", e);
    }
  }

  private Place read(byte[] bytes) {
    Input in = new Input(bytes);
    int version = in.readByte();
    if (version != VERSION) {
      throw refused("it is of version " + version + ", this node reads " + VERSION, null);
    }
    int covered = bytes.length - Integer.BYTES;
    Input end = new Input(bytes);
    end.skip(covered);
    if (end.readInt() != checksum(Arrays.copyOf(bytes, covered))) {
      throw refused("it is cut short or mistyped", null);
    }
    UUID grid = in.readId();
    // First: a local cache is a grid of its own, which is not what its user has mistaken.
    if (in.readInt() != checksum(cache.getBytes(StandardCharsets.UTF_8))) {
      throw refused("it is of another cache than \"" + cache + "\"", null);
    }
    if (!grid.equals(gridId)) {
      throw refused("it is of grid " + grid + ", this is " + gridId + "; begin again", null);
    }
    int segment = in.readCount(Integer.MAX_VALUE);
    if (segment >= segments) {
      throw refused("its segment " + segment + " is not within 0.." + (segments - 1), null);
    }
    Cursor cursor = Cursor.read(in);
    if (in.remaining() != Integer.BYTES) {
      throw refused("it is longer than what it says", null);
    }
    return new Place(segment, cursor);
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length);
    return (int) checksum.getValue();
  }

  private static IllegalArgumentException refused(String why, @Nullable Exception cause) {
    return new IllegalArgumentException("the cursor cannot be used: " + why, cause);
  }
}
