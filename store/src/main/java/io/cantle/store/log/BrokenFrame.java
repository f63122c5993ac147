package io.cantle.store.log;

import io.cantle.store.Damage;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a frame that is not whole: which of its records still are, and whose the others
 * were. A head has a checksum of its own; where turning one bit back makes it right, that was the
 * bit, and whatever the head says is known again. So whoever flips a bit is told of the segment
 * also if the bit was part of its number.
 *
 * <p><b>Threading:</b> one thread.
 */
final class BrokenFrame {
  private static final int MOST_NAMED = 8;

  private final long lsn;
  private final String file;
  private final ByteBuffer bytes;
  private final RecordVisitor whole;
  private final Consumer<Damage> damages;
  private final CRC32C crc = new CRC32C();
  private final RecordView view = new RecordView();

  private BrokenFrame(long lsn, ByteBuffer bytes, RecordVisitor whole, Consumer<Damage> damages) {
    this.lsn = lsn;
    this.file = LogNames.file(Lsn.file(lsn));
    this.bytes = bytes;
    this.whole = whole;
    this.damages = damages;
  }

  /**
   * Looks at it and tells what is wrong.
   *
   * @param end where the next frame begins, or the file ends
   * @param whole is shown the records that are as they were written
   * @return its head, which one bit may have been turned back in; null if it is not known
   */
  static @Nullable Frame look(
      DiskFile in, long lsn, long end, RecordVisitor whole, Consumer<Damage> damages)
      throws IOException {
    long place = Lsn.offset(lsn);
    ByteBuffer bytes =
        ByteBuffer.allocate((int) Math.min(Integer.MAX_VALUE - 16, Math.max(0, end - place)))
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.clear().limit(in.readFully(bytes, place));
    return new BrokenFrame(lsn, bytes, whole, damages).look();
  }

  private @Nullable Frame look() throws IOException {
    ByteBuffer head = copy(0, Frame.HEAD_BYTES);
    Frame frame = Frame.read(head, 0, lsn, crc);
    boolean mended = frame == null && mends(head, () -> Frame.read(head, 0, lsn, crc) != null);
    if (mended) {
      frame = Frame.read(head, 0, lsn, crc);
    }
    if (frame == null) {
      tellHead("there is no frame here any more");
      return null;
    }
    if (mended) {
      tellHead("one bit of the frame's head is not as written");
    }
    int end = Math.min(frame.length(), bytes.limit());
    if (end < frame.length()) {
      damage(0, "the frame has " + frame.length() + " bytes and " + end + " are there");
    }
    records(end);
    return frame;
  }

  /** Tells of a frame's head, with the segments of the records that can be found behind it. */
  private void tellHead(String what) {
    TreeSet<Integer> segments = new TreeSet<>();
    int found = 0;
    int cache = 0;
    int segment = 0;
    for (int at = Frame.HEAD_BYTES; at <= bytes.limit() - LogRecord.HEAD_BYTES; ) {
      if (!view.at(bytes, at).isHead(lsn + at, crc)) {
        at += 8;
        continue;
      }
      if (found == 0) {
        cache = view.cache();
        segment = view.segment();
      }
      found++;
      if (segments.size() < MOST_NAMED) {
        boolean _ = segments.add(view.segment());
      }
      at += (int) Math.min(view.length(), bytes.limit());
    }
    if (found == 0) {
      damage(0, what);
      return;
    }
    String more = what + "; with it go " + found + " records, of segments " + segments;
    damages.accept(Damage.of(file, Lsn.offset(lsn), cache, segment, more));
  }

  private void records(int end) throws IOException {
    int at = Frame.HEAD_BYTES;
    while (end - at >= LogRecord.HEAD_BYTES) {
      if (!view.at(bytes, at).isHead(lsn + at, crc) || view.length() > end - at) {
        at = brokenHead(at, end);
        continue;
      }
      if (view.isBody(crc)) {
        whole.visit(view);
      } else {
        tell(view, at, "key, metadata or value of the record are not as written");
      }
      at += (int) view.length();
    }
  }

  /** Tells whose the head at a place was; answers where the next record may begin. */
  private int brokenHead(int at, int end) {
    ByteBuffer head = copy(at, LogRecord.HEAD_BYTES);
    RecordView mended = new RecordView().at(head, 0);
    if (mends(head, () -> mended.isHead(lsn + at, crc)) && mended.length() <= end - at) {
      tell(mended, at, "one bit of the record's head is not as written");
      return at + (int) mended.length();
    }
    int next = at + 8;
    while (end - next >= LogRecord.HEAD_BYTES && !view.at(bytes, next).isHead(lsn + next, crc)) {
      next += 8;
    }
    RecordView raw = new RecordView().at(bytes, at);
    damages.accept(
        new Damage(
            file,
            Lsn.offset(lsn) + at,
            OptionalInt.of(raw.cache()),
            OptionalInt.of(raw.segment()),
            false,
            "the record's head is not as written"));
    return end - next >= LogRecord.HEAD_BYTES ? next : end;
  }

  private void tell(RecordView record, int at, String what) {
    damages.accept(Damage.of(file, Lsn.offset(lsn) + at, record.cache(), record.segment(), what));
  }

  private void damage(int at, String what) {
    damages.accept(Damage.of(file, Lsn.offset(lsn) + at, what));
  }

  private ByteBuffer copy(int from, int length) {
    ByteBuffer copy = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    int there = Math.max(0, Math.min(length, bytes.limit() - from));
    return copy.put(0, bytes, from, there);
  }

  /** Turns bits over one at a time until something holds; leaves them as they are then. */
  private static boolean mends(ByteBuffer head, BooleanSupplier holds) {
    for (int bit = 0; bit < head.limit() * Byte.SIZE; bit++) {
      int place = bit / Byte.SIZE;
      byte mask = (byte) (1 << bit % Byte.SIZE);
      head.put(place, (byte) (head.get(place) ^ mask));
      if (holds.getAsBoolean()) {
        return true;
      }
      head.put(place, (byte) (head.get(place) ^ mask));
    }
    return false;
  }
}
