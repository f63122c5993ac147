package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything that a log left behind, compares it with every checksum, and continues after
 * damage. Recovery stops at the first damage; this class reports all of it. It changes nothing. It
 * distinguishes the torn end from damage as {@link RecoveryScan} does: damage is something that a
 * later frame says was durable.
 *
 * <p>The log must not be open meanwhile: a frame that is being written looks like damage once the
 * frame after it is there.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class LogVerifier {
  private final Disk disk;
  private final RecordVisitor visitor;
  private final Consumer<FileDamage> damages;
  private final NavigableSet<Long> liveFileIds = new TreeSet<>();
  private final List<Long> readFileIds = new ArrayList<>();
  private @Nullable LogCatalog catalog;
  private long identity;
  private boolean identityKnown;
  private long endLsn;
  private long durableLsn;
  private boolean closed;

  private LogVerifier(Disk disk, RecordVisitor visitor, Consumer<FileDamage> damages) {
    this.disk = disk;
    this.visitor = visitor;
    this.damages = damages;
  }

  /** Whether files of these names belong to a log. */
  public static boolean isLog(List<String> names) {
    return names.contains(LogFileNames.CATALOG)
        || names.stream().anyMatch(name -> LogFileNames.fileId(name).isPresent());
  }

  /**
   * Reads a log.
   *
   * @param visitor gets every record that is as it was written, in order
   * @param damages gets every damage, in order
   * @throws IOException if something cannot be read, or the visitor throws it
   */
  public static LogVerifier verify(Disk disk, RecordVisitor visitor, Consumer<FileDamage> damages)
      throws IOException {
    LogVerifier check = new LogVerifier(disk, visitor, damages);
    check.readAll();
    return check;
  }

  /** The number of the log; 0 if it cannot be read anywhere. */
  public long identity() {
    return identity;
  }

  /** Where the log ends; what follows was never acknowledged as durable. */
  public long endLsn() {
    return endLsn;
  }

  /** The LSN before which everything was certainly durable when the last frame was written. */
  public long durableLsn() {
    return durableLsn;
  }

  /** Whether the log was closed. */
  public boolean isClosed() {
    return closed;
  }

  /** The role of a file in the log, by its name; empty if it does not belong to a log. */
  public Optional<String> describeFile(String name) {
    if (name.equals(LogFileNames.CATALOG)) {
      return Optional.of("which files were dropped");
    }
    if (name.equals(LogFileNames.FAILED)) {
      return Optional.of("a write or sync failed here");
    }
    if (LogFileNames.isUnfinished(name)) {
      return Optional.of("unfinished, not part of the log");
    }
    OptionalInt id = LogFileNames.fileId(name);
    if (id.isEmpty()) {
      return Optional.empty();
    }
    long number = id.getAsInt();
    if (readFileIds.contains(number)) {
      return Optional.of("log");
    }
    return Optional.of(isDropped(number) ? "spare, was dropped" : "prepared, not used yet");
  }

  private boolean isDropped(long id) {
    LogCatalog known = catalog;
    return known != null && known.isDropped(id);
  }

  private void readAll() throws IOException {
    List<String> names = disk.names();
    for (String name : names) {
      LogFileNames.fileId(name).ifPresent(id -> liveFileIds.add((long) id));
    }
    try {
      catalog = LogCatalog.read(disk, names);
      if (catalog != null) {
        identity = catalog.identity();
        identityKnown = true;
      } else if (!liveFileIds.isEmpty()) {
        damages.accept(
            FileDamage.of(LogFileNames.CATALOG, 0, "it is missing, and there are log files"));
      }
    } catch (DamagedException e) {
      damages.accept(e.damage());
    }
    liveFileIds.removeIf(this::isDropped);
    long next = 1;
    while (next > 0) {
      while (isDropped(next)) {
        next++;
      }
      if (!liveFileIds.contains(next)) {
        next = reportMissing(next);
      }
      if (next > 0) {
        readFileIds.add(next);
        next = readFile(next);
      }
    }
  }

  /** The file to continue with where one is missing; 0 if there is none. */
  private long reportMissing(long id) {
    Long later = liveFileIds.higher(id);
    // Without a catalog, the missing file may have been dropped.
    boolean wasBegun = !readFileIds.isEmpty() || !liveFileIds.isEmpty();
    LogCatalog known = catalog;
    if (known != null && (wasBegun || !known.droppedRanges().isEmpty())) {
      damages.accept(FileDamage.of(LogFileNames.fileName(id), 0, "it is missing"));
    }
    return later == null ? 0 : later;
  }

  /** Reads a file; returns the id of the next, or 0 if the log ends here. */
  private long readFile(long id) throws IOException {
    try (DiskFile file = disk.open(LogFileNames.fileName(id), FileAccess.READ)) {
      checkHeader(file, id);
      LogFileScan scan = new LogFileScan(file, id);
      while (true) {
        long place = scan.nextFrameOffset();
        LogFrame frame = scan.nextFrame();
        if (frame != null) {
          scan.visitRecords(frame, 0, visitor);
        } else {
          long lsn = Lsn.toLsn(id, place);
          if (!wasDurable(file, id, lsn)) {
            endLsn = lsn;
            durableLsn = closed ? endLsn : durableLsn;
            return 0;
          }
          long following =
              new LogFileScan(file, id).findDurabilityProof(place + Disk.BLOCK_BYTES, -1);
          long until = following < 0 ? file.length() : Lsn.offset(following);
          frame = DamagedFrame.inspect(file, lsn, until, visitor, damages);
          if (frame == null && following < 0) {
            return nextLiveFile(id);
          }
          scan.seek(frame == null ? until : place + frame.paddedLength());
        }
        if (frame != null) {
          durableLsn = Math.max(durableLsn, frame.durableLsn());
          closed = frame.kind() == LogFrame.FrameKind.CLOSED;
          if (frame.kind() == LogFrame.FrameKind.SEAL) {
            return frame.nextFileId() > id ? frame.nextFileId() : nextLiveFile(id);
          }
        }
      }
    }
  }

  private long nextLiveFile(long id) {
    Long later = liveFileIds.higher(id);
    return later == null ? 0 : later;
  }

  private void checkHeader(DiskFile file, long id) throws IOException {
    if (!identityKnown) {
      // If the catalog cannot be read, the files still have the identity.
      ByteBuffer head = ByteBuffer.allocate(Disk.BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      if (file.readFully(head, 0) == Disk.BLOCK_BYTES) {
        identity = head.getLong(16);
        identityKnown = true;
      }
    }
    try {
      LogFileHeader.verify(file, identity, id);
    } catch (DamagedException e) {
      damages.accept(e.damage());
    }
  }

  /** Whether a frame after an LSN says that what was there was durable. */
  private boolean wasDurable(DiskFile file, long id, long lsn) throws IOException {
    if (new LogFileScan(file, id).findDurabilityProof(Lsn.offset(lsn) + Disk.BLOCK_BYTES, lsn)
        >= 0) {
      return true;
    }
    for (long later : liveFileIds.tailSet(id, false)) {
      try (DiskFile next = disk.open(LogFileNames.fileName(later), FileAccess.READ)) {
        if (new LogFileScan(next, later).findDurabilityProof(Disk.BLOCK_BYTES, lsn) >= 0) {
          return true;
        }
      }
    }
    return false;
  }
}
