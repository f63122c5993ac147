package io.cantle.store.log;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A frame that is not whole. It finds out which of its records still are whole, and to which
 * segments the others belonged. Every header has a checksum of its own. If flipping one bit makes
 * the checksum match, that bit was the damage, and everything in the header is known again. So the
 * segment can be named even if the flipped bit was part of its number.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DamagedFrame {
  private static final int MAX_NAMED_SEGMENTS = 8;

  private final long lsn;
  private final String file;
  private final ByteBuffer bytes;
  private final RecordVisitor wholeRecordVisitor;
  private final Consumer<FileDamage> damages;
  private final RecordView view = new RecordView();

  private DamagedFrame(
      long lsn, ByteBuffer bytes, RecordVisitor wholeRecordVisitor, Consumer<FileDamage> damages) {
    this.lsn = lsn;
    this.file = LogFileNames.fileName(Lsn.fileId(lsn));
    this.bytes = bytes;
    this.wholeRecordVisitor = wholeRecordVisitor;
    this.damages = damages;
  }

  /**
   * Inspects a frame and reports what is wrong.
   *
   * @param end where the next frame begins, or the file ends
   * @param whole gets the records that are as they were written
   * @return the frame's header, perhaps with one bit repaired; null if it cannot be known
   */
  static @Nullable LogFrame inspect(
      DiskFile in, long lsn, long end, RecordVisitor whole, Consumer<FileDamage> damages)
      throws IOException {
    long place = Lsn.offset(lsn);
    ByteBuffer bytes =
        ByteBuffer.allocate((int) Math.min(Integer.MAX_VALUE - 16, Math.max(0, end - place)))
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.clear().limit(in.readFully(bytes, place));
    return new DamagedFrame(lsn, bytes, whole, damages).inspect();
  }

  private @Nullable LogFrame inspect() throws IOException {
    ByteBuffer head = copy(0, LogFrame.HEADER_BYTES);
    LogFrame frame = LogFrame.readHeader(head, 0, lsn);
    boolean repaired =
        frame == null && repairsOneBit(head, () -> LogFrame.readHeader(head, 0, lsn) != null);
    if (repaired) {
      frame = LogFrame.readHeader(head, 0, lsn);
    }
    if (frame == null) {
      reportHeader("no frame begins here any more");
      return null;
    }
    if (repaired) {
      reportHeader("one bit of the frame's header is not as written");
    }
    int end = Math.min(frame.length(), bytes.limit());
    if (end < frame.length()) {
      damages.accept(
          FileDamage.of(
              file,
              Lsn.offset(lsn),
              "the frame has " + frame.length() + " bytes and " + end + " are there"));
    }
    inspectRecords(end);
    return frame;
  }

  /**
   * Reports damage of a frame's header, with the segments of the records that are found after it.
   */
  private void reportHeader(String problem) {
    TreeSet<Integer> segments = new TreeSet<>();
    FileDamage damage = FileDamage.of(file, Lsn.offset(lsn), problem);
    int found = 0;
    for (int at = LogFrame.HEADER_BYTES; at <= bytes.limit() - LogRecord.HEADER_BYTES; ) {
      if (!view.moveTo(bytes, at).isHeaderValid(lsn + at)) {
        at += 8;
        continue;
      }
      if (found == 0) {
        damage = view.damage(lsn, problem);
      }
      found++;
      if (segments.size() < MAX_NAMED_SEGMENTS) {
        boolean _ = segments.add(view.segment());
      }
      at += (int) Math.min(view.paddedLength(), bytes.limit());
    }
    damages.accept(
        found == 0
            ? damage
            : damage.and("; lost with it are " + found + " records of segments " + segments));
  }

  private void inspectRecords(int end) throws IOException {
    int at = LogFrame.HEADER_BYTES;
    while (end - at >= LogRecord.HEADER_BYTES) {
      if (!view.moveTo(bytes, at).isHeaderValid(lsn + at) || view.paddedLength() > end - at) {
        at = repairHeader(at, end);
        continue;
      }
      if (view.isBodyValid()) {
        wholeRecordVisitor.visit(view);
      } else {
        reportRecord(view, at, "key, metadata or value of the record are not as written");
      }
      at += (int) view.paddedLength();
    }
  }

  /**
   * Reports which segment a damaged record header belonged to; returns where the next record may
   * begin.
   */
  private int repairHeader(int at, int end) {
    ByteBuffer head = copy(at, LogRecord.HEADER_BYTES);
    RecordView repaired = new RecordView().moveTo(head, 0);
    if (repairsOneBit(head, () -> repaired.isHeaderValid(lsn + at))
        && repaired.paddedLength() <= end - at) {
      reportRecord(repaired, at, "one bit of the record's header is not as written");
      return at + (int) repaired.paddedLength();
    }
    int next = at + 8;
    while (end - next >= LogRecord.HEADER_BYTES
        && !view.moveTo(bytes, next).isHeaderValid(lsn + next)) {
      next += 8;
    }
    RecordView raw = new RecordView().moveTo(bytes, at);
    damages.accept(
        new FileDamage(
            file,
            Lsn.offset(lsn) + at,
            OptionalInt.of(raw.cache()),
            OptionalInt.of(raw.segment()),
            false,
            "the record's header is not as written"));
    return end - next >= LogRecord.HEADER_BYTES ? next : end;
  }

  private void reportRecord(RecordView record, int at, String problem) {
    damages.accept(record.damage(lsn + at, problem));
  }

  private ByteBuffer copy(int from, int length) {
    ByteBuffer copy = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    int there = Math.max(0, Math.min(length, bytes.limit() - from));
    return copy.put(0, bytes, from, there);
  }

  /** Flips one bit at a time until a condition holds. The bit that made it hold stays flipped. */
  private static boolean repairsOneBit(ByteBuffer head, BooleanSupplier holds) {
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
