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
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a log left behind, however it ended, and changes nothing. It reads the files in order,
 * each up to the seal that names the next. Where there is no whole frame, either the log ended, or
 * something durable is gone. A later frame tells which, because each frame says what was durable
 * when it was written. If a later frame says that this place was durable, it is damage; if none
 * does, it is the torn end.
 *
 * <p><b>Threading:</b> one thread.
 */
final class RecoveryScan {
  private final Disk disk;
  private final RecordVisitor visitor;
  private final long firstLsn;
  private final NavigableSet<Long> liveFileIds = new TreeSet<>();

  /** The names of all files. */
  final List<String> names;

  /** The catalog; null if there is none, and so no log. */
  final @Nullable LogCatalog catalog;

  /** The files that the catalog calls dropped. */
  final List<String> droppedNames = new ArrayList<>();

  /** The files of the log that were read, in order. */
  final List<Long> readFileIds = new ArrayList<>();

  /** Files that do not belong to the log: a seal skips them, or they come after the end. */
  final List<Long> unusedFileIds = new ArrayList<>();

  /** Those of the unused files that hold nothing at all. */
  final List<Long> emptyFileIds = new ArrayList<>();

  /** Ranges of ids that seals skip. */
  final List<LogCatalog.FileRange> skippedRanges = new ArrayList<>();

  /** The highest id that was given to a file. */
  long lastFileId;

  /** The file the log ends in; 0 if there is none. */
  long tailFileId;

  /** The offset where the log ends. */
  long tailOffset;

  /**
   * Lists what is on a disk.
   *
   * @param firstLsn the first LSN to show; files before its own are not read
   * @throws DamagedException if the catalog is damaged
   */
  RecoveryScan(Disk disk, long firstLsn, RecordVisitor visitor) throws IOException {
    this.disk = disk;
    this.firstLsn = firstLsn;
    this.visitor = visitor;
    this.names = disk.names();
    this.catalog = LogCatalog.read(disk, names);
    this.lastFileId = catalog == null ? 0 : catalog.lastDroppedId();
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
    if (catalog == null && !liveFileIds.isEmpty()) {
      throw new DamagedException(
          LogFileNames.CATALOG, 0, "it is missing, and there are files " + liveFileIds);
    }
  }

  /**
   * Reads all files and shows the visitor what is in them.
   *
   * @throws DamagedException at the first place that is not as it was written
   */
  void readAll() throws IOException {
    if (catalog == null) {
      return;
    }
    readFiles(catalog);
    unusedFileIds.addAll(tailFileId == 0 ? liveFileIds : liveFileIds.tailSet(tailFileId, false));
  }

  private void readFiles(LogCatalog catalog) throws IOException {
    long expected = 1;
    while (true) {
      while (catalog.isDropped(expected)) {
        expected++;
      }
      if (!liveFileIds.contains(expected)) {
        if (liveFileIds.isEmpty() && catalog.droppedRanges().isEmpty()) {
          return; // The log was never begun.
        }
        throw new DamagedException(
            LogFileNames.fileName(expected), 0, "it is missing; there are files " + liveFileIds);
      }
      readFileIds.add(expected);
      long next = readFile(expected, catalog.identity());
      if (next == 0) {
        tailFileId = expected;
        return;
      }
      if (next > expected + 1) {
        // A recovery that was stopped after the seal had not discarded these files yet.
        skippedRanges.add(new LogCatalog.FileRange(expected + 1, next - 1));
        unusedFileIds.addAll(liveFileIds.subSet(expected, false, next, false));
      }
      expected = next;
    }
  }

  /** Reads a file; returns the id of the next, or 0 if the log ends here. */
  private long readFile(long id, long identity) throws IOException {
    try (DiskFile file = disk.open(LogFileNames.fileName(id), FileAccess.READ)) {
      LogFileHeader.verify(file, identity, id);
      if (id < Lsn.fileId(firstLsn)) {
        return id + 1;
      }
      LogFileScan scan = new LogFileScan(file, id);
      for (LogFrame frame; (frame = scan.nextFrame()) != null; ) {
        if (frame.kind() == LogFrame.FrameKind.SEAL) {
          if (frame.nextFileId() <= id) {
            throw new DamagedException(
                LogFileNames.fileName(id),
                Lsn.offset(frame.lsn()),
                "its seal names no later file but file " + frame.nextFileId());
          }
          return frame.nextFileId();
        }
        scan.visitRecords(frame, firstLsn, visitor);
      }
      tailOffset = scan.nextFrameOffset();
      FileDamage fault = scan.fault();
      long proof = findDurabilityProof(file, id, Lsn.toLsn(id, tailOffset));
      if (proof >= 0) {
        throw new DamagedException(
            fault.and(", and was durable when " + Lsn.describe(proof) + " was written"));
      }
      return 0;
    }
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
