package io.cantle.store.log;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

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
  private final RecoveryScan scan;

  private LogVerifier(RecoveryScan scan) {
    this.scan = scan;
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
    RecoveryScan scan = new RecoveryScan(disk, 0, visitor, damages);
    scan.readAll();
    return new LogVerifier(scan);
  }

  /** The number of the log; 0 if it cannot be read anywhere. */
  public long identity() {
    return scan.identity.orElse(0);
  }

  /** Where the log ends; what follows was never acknowledged as durable. */
  public long endLsn() {
    return Lsn.toLsn(scan.tailFileId, scan.tailOffset);
  }

  /** The LSN before which everything was certainly durable when the last frame was written. */
  public long durableLsn() {
    return scan.durableLsn;
  }

  /** Whether the log was closed. */
  public boolean isClosed() {
    return scan.closed;
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
    if (scan.readFileIds.contains((long) id.getAsInt())) {
      return Optional.of("log");
    }
    return Optional.of(
        scan.droppedNames.contains(name) ? "spare, was dropped" : "prepared, not used yet");
  }
}
