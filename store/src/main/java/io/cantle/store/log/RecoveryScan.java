package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a log left behind, however it ended, and changes nothing. It reads the files in order,
 * each up to the seal that names the next. Where there is no whole frame, either the log ended, or
 * something durable is gone. A later frame tells which, because each frame says what was durable
 * when it was written. If a later frame says that this place was durable, it is damage; if none
 * does, it is the torn end.
 *
 * <p>Recovery stops at the first damage. A {@link LogVerifier} wants all of it, so the scan then
 * goes on at the next frame or file that it finds.
 *
 * <p><b>Threading:</b> one thread.
 */
final class RecoveryScan {
  private final Disk disk;
  private final RecordVisitor visitor;
  private final @Nullable Consumer<FileDamage> damages;
  private final long firstLsn;

  /** The names of all files. */
  final List<String> names;

  /** The catalog; null if there is none, and so no log, or it is damaged. */
  final @Nullable LogCatalog catalog;

  /** The files that the catalog does not call dropped. */
  final NavigableSet<Long> liveFileIds = new TreeSet<>();

  /** The files that the catalog calls dropped. */
  final List<String> droppedNames = new ArrayList<>();

  /** The files of the log that were read, in order. */
  final List<Long> readFileIds = new ArrayList<>();

  /** Files that were not read, because they come after the end, and hold nothing at all. */
  final List<Long> emptyFileIds = new ArrayList<>();

  /** Ranges of ids that seals skip. */
  final List<LogCatalog.FileRange> skippedRanges = new ArrayList<>();

  /** The number of the log; if the catalog cannot be read, that of the first file. */
  OptionalLong identity = OptionalLong.empty();

  /** The highest id that was given to a file. */
  long lastFileId;

  /** The file the log ends in; 0 if there is none. */
  long tailFileId;

  /** The offset where the log ends. */
  long tailOffset;

  /** The LSN before which everything was certainly durable when the last frame was written. */
  long durableLsn;

  /** Whether the log was closed. */
  boolean closed;

  /**
   * Lists what is on a disk.
   *
   * @param firstLsn the first LSN to show; files before its own are not read
   * @param damages gets each damage, and the scan goes on; null if it is to end at the first
   * @throws DamagedException if the catalog is damaged, and the scan is not to go on
   */
  RecoveryScan(
      Disk disk, long firstLsn, RecordVisitor visitor, @Nullable Consumer<FileDamage> damages)
      throws IOException {
    this.disk = disk;
    this.firstLsn = firstLsn;
    this.visitor = visitor;
    this.damages = damages;
    this.names = disk.names();
    this.catalog = readCatalog();
    if (catalog != null) {
      identity = OptionalLong.of(catalog.identity());
      lastFileId = catalog.lastDroppedId();
    }
    for (String name : names) {
      OptionalInt known = LogFileNames.fileId(name);
      if (known.isPresent()) {
        long id = known.getAsInt();
        lastFileId = Math.max(lastFileId, id);
        if (catalog != null && catalog.isDropped(id)) {
          droppedNames.add(name);
        } else {
          boolean _ = liveFileIds.add(id);
        }
      }
    }
    if (!names.contains(LogFileNames.CATALOG) && !liveFileIds.isEmpty()) {
      report(
          FileDamage.of(
              LogFileNames.CATALOG, 0, "it is missing, and there are files " + liveFileIds));
    }
  }

  private @Nullable LogCatalog readCatalog() throws IOException {
    try {
      return LogCatalog.read(disk, names);
    } catch (DamagedException e) {
      report(e.damage());
      return null;
    }
  }

  private void report(FileDamage damage) throws DamagedException {
    if (damages == null) {
      throw new DamagedException(damage);
    }
    damages.accept(damage);
  }

  /**
   * Reads all files and shows the visitor what is in them.
   *
   * @throws DamagedException at the first place that is not as it was written, if the scan is not
   *     to go on
   */
  void readAll() throws IOException {
    boolean wasBegun =
        !liveFileIds.isEmpty() || (catalog != null && !catalog.droppedRanges().isEmpty());
    long next = wasBegun ? 1 : 0;
    while (next != 0) {
      long id = next;
      while (catalog != null && catalog.isDropped(id)) {
        id++;
      }
      if (liveFileIds.contains(id)) {
        readFileIds.add(id);
        next = readFile(id);
        if (next > id + 1) {
          // A recovery that was stopped after the seal had not discarded these files yet.
          skippedRanges.add(new LogCatalog.FileRange(id + 1, next - 1));
        }
      } else {
        // Without a catalog, the missing file may have been dropped.
        if (catalog != null) {
          report(
              FileDamage.of(
                  LogFileNames.fileName(id), 0, "it is missing; there are files " + liveFileIds));
        }
        next = nextLiveFile(id);
      }
    }
  }

  private long nextLiveFile(long id) {
    Long later = liveFileIds.higher(id);
    return later == null ? 0 : later;
  }

  /** Reads a file; returns the id of the next, or 0 if the log ends here. */
  private long readFile(long id) throws IOException {
    try (DiskFile file = disk.open(LogFileNames.fileName(id), FileAccess.READ)) {
      try {
        identity = OptionalLong.of(LogFileHeader.verify(file, identity, id));
      } catch (DamagedException e) {
        report(e.damage());
      }
      if (id < Lsn.fileId(firstLsn)) {
        return id + 1;
      }
      LogFileScan scan = new LogFileScan(file, id);
      while (true) {
        LogFrame frame = scan.nextFrame();
        if (frame != null) {
          scan.visitRecords(frame, firstLsn, visitor);
        } else {
          long end = scan.nextFrameOffset();
          long lsn = Lsn.toLsn(id, end);
          long proof = findDurabilityProof(file, id, lsn);
          if (proof < 0) {
            tailFileId = id;
            tailOffset = end;
            durableLsn = closed ? lsn : durableLsn;
            return 0;
          }
          if (damages == null) {
            throw new DamagedException(
                scan.fault().and(", and was durable when " + Lsn.describe(proof) + " was written"));
          }
          long following =
              new LogFileScan(file, id).findDurabilityProof(end + Disk.BLOCK_BYTES, -1);
          long until = following < 0 ? file.length() : Lsn.offset(following);
          frame = DamagedFrame.inspect(file, lsn, until, visitor, damages);
          if (frame == null && following < 0) {
            return nextLiveFile(id);
          }
          scan.seek(frame == null ? until : end + frame.paddedLength());
        }
        if (frame != null) {
          durableLsn = Math.max(durableLsn, frame.durableLsn());
          closed = frame.kind() == LogFrame.FrameKind.CLOSED;
          if (frame.kind() == LogFrame.FrameKind.SEAL) {
            return fileAfterSeal(id, frame);
          }
        }
      }
    }
  }

  private long fileAfterSeal(long id, LogFrame seal) throws DamagedException {
    if (seal.nextFileId() > id) {
      return seal.nextFileId();
    }
    report(
        FileDamage.of(
            LogFileNames.fileName(id),
            Lsn.offset(seal.lsn()),
            "its seal names no later file but file " + seal.nextFileId()));
    return nextLiveFile(id);
  }

  /** Looks for a frame that says that what is at an LSN was durable; returns its LSN, or -1. */
  private long findDurabilityProof(DiskFile file, long id, long place) throws IOException {
    long proof =
        new LogFileScan(file, id).findDurabilityProof(Lsn.offset(place) + Disk.BLOCK_BYTES, place);
    for (long later : liveFileIds.tailSet(id, false)) {
      if (proof >= 0) {
        break;
      }
      try (DiskFile next = disk.open(LogFileNames.fileName(later), FileAccess.READ)) {
        LogFileScan scan = new LogFileScan(next, later);
        proof = scan.findDurabilityProof(Disk.BLOCK_BYTES, place);
        if (proof < 0 && !scan.hasSeenFrame()) {
          emptyFileIds.add(later);
        }
      }
    }
    return proof;
  }
}
