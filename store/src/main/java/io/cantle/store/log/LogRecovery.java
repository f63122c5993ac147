package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Opens what a log left behind, as a {@link RecoveryScan} found it: seals the torn end, and
 * continues in a new file.
 *
 * <p>Recovery may stop after any step and begin again, because of the order of the steps. The new
 * file exists before the seal names it. A file id between a sealed file and the one that its seal
 * names is unused, and only after the seal is such a file used again. What was read is made durable
 * before anything relies on it: if only the process ended and not the machine, it may be in the
 * system's cache alone.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LogRecovery {
  private final Disk disk;
  private final LogOptions options;
  private final StoreClock clock;
  private final RecoveryScan scan;
  private final LogCatalog catalog;

  private LogRecovery(
      Disk disk, LogOptions options, StoreClock clock, RecoveryScan scan, LogCatalog catalog) {
    this.disk = disk;
    this.options = options;
    this.clock = clock;
    this.scan = scan;
    this.catalog = catalog;
  }

  /** The files to continue with. */
  record RecoveredLog(LogFiles files, LogFiles.PreparedFile active) {}

  /**
   * Opens a log.
   *
   * @param from the first LSN to show; files before its own are not read
   * @param identity the number of the log if it is a new one
   * @throws DamagedException if something that was durable is lost
   */
  static RecoveredLog recover(
      Disk disk,
      LogOptions options,
      StoreClock clock,
      long from,
      RecordVisitor visitor,
      long identity)
      throws IOException {
    disk.createDirectory();
    RecoveryScan recoveryScan = new RecoveryScan(disk, from, visitor, null);
    recoveryScan.readAll();
    try {
      return new LogRecovery(
              disk, options, clock, recoveryScan, ensureCatalog(disk, recoveryScan, identity))
          .prepareFiles();
    } catch (IOException e) {
      FailureMarker.create(disk, e);
      throw e;
    }
  }

  /** Returns the catalog, a new one if there is none, and deletes all unfinished files. */
  private static LogCatalog ensureCatalog(Disk disk, RecoveryScan recoveryScan, long identity)
      throws IOException {
    LogCatalog found = recoveryScan.catalog;
    if (found != null) {
      disk.syncNames(SyncPoint.RECOVERED_NAMES);
    }
    for (String name : recoveryScan.names) {
      if (LogFileNames.isUnfinished(name)) {
        disk.delete(name);
      }
    }
    if (found != null) {
      return found;
    }
    LogCatalog begun = new LogCatalog(identity, List.of());
    begun.write(disk);
    return begun;
  }

  private RecoveredLog prepareFiles() throws IOException {
    List<Long> kept = scan.readFileIds;
    boolean afterFailure = scan.names.contains(LogFileNames.FAILED);
    if (afterFailure) {
      for (long id :
          kept.subList(Math.max(0, kept.size() - FailureMarker.REWRITTEN_FILES), kept.size())) {
        FailureMarker.rewriteFile(disk, LogFileNames.fileName(id));
      }
    }
    for (long id : kept) {
      try (DiskFile file = disk.open(LogFileNames.fileName(id), FileAccess.READ)) {
        file.force(SyncPoint.RECOVERED);
      }
    }
    LogFiles files = new LogFiles(disk, options, clock, catalog, kept, scan.lastFileId);
    for (String name : scan.droppedNames) {
      files.recycleOrDelete(name);
    }
    for (LogCatalog.FileRange gap : scan.skippedRanges) {
      files.dropUnusedIds(gap);
    }
    // A file that was prepared and not used yet becomes the next one again, under another id.
    for (long id : scan.emptyFileIds) {
      files.dropUnusedIds(new LogCatalog.FileRange(id, id));
      files.recycleOrDelete(LogFileNames.fileName(id));
    }
    LogFiles.PreparedFile next = files.takeNext();
    try {
      if (scan.tailFileId != 0) {
        continueIn(next, files);
      }
      if (afterFailure) {
        disk.delete(LogFileNames.FAILED);
      }
    } catch (IOException e) {
      next.file().close();
      files.close();
      throw e;
    }
    return new RecoveredLog(files, next);
  }

  /** Seals the last file and discards the files between it and the new one. */
  private void continueIn(LogFiles.PreparedFile next, LogFiles files) throws IOException {
    sealTail(next.id());
    long tail = scan.tailFileId;
    if (next.id() > tail + 1) {
      files.dropUnusedIds(new LogCatalog.FileRange(tail + 1, next.id() - 1));
    }
    // A file that is not of the log: a seal skips it, or it comes after the end.
    for (long id : scan.liveFileIds) {
      if (!scan.readFileIds.contains(id) && !scan.emptyFileIds.contains(id)) {
        files.recycleOrDelete(LogFileNames.fileName(id));
      }
    }
  }

  /** Writes the seal at the end of the last file, which says in which file the log continues. */
  private void sealTail(long next) throws IOException {
    long lsn = Lsn.toLsn(scan.tailFileId, scan.tailOffset);
    ByteBuffer block = disk.allocateBuffer(Disk.BLOCK_BYTES);
    new LogFrame(LogFrame.FrameKind.SEAL, lsn, lsn, next, LogFrame.HEADER_BYTES, 0)
        .writeHeader(block, 0);
    try (DiskFile file = disk.open(LogFileNames.fileName(scan.tailFileId), FileAccess.DURABLE)) {
      file.writeDurably(block, scan.tailOffset, SyncPoint.SEAL);
    }
  }
}
