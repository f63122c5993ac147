package io.cantle.store.segment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.RecordView;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Copies live records into one new run, sorted by segment, hash and key. It copies either from the
 * log, from where the runs end, or from runs of which much is garbage. A record is live while it is
 * the newest version of its key.
 *
 * <p>A removal is left out once no older version of its key can be anywhere. No other run may have
 * records of that segment that are as old. In the log, an older version could only be one that came
 * too late; the segment knows the last of those. A key that is being written is known too.
 *
 * <p>The index must not learn of the new run before the manifest that names it is durable; then
 * {@link #applyToIndex} tells it.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Compaction implements AutoCloseable {
  private final Disk disk;
  private final long identity;
  private final StoreIndex index;
  private final CompactionThrottle throttle;
  private final int runId;
  private final List<RunFile> replacedRuns;
  private final RelocationList relocations = new RelocationList();
  private @Nullable RunFile newRun;

  /**
   * Prepares a compaction.
   *
   * @param runId the number of the new run
   * @param replacedRuns the runs that it replaces, if it is to {@link #merge} them
   */
  Compaction(
      Disk disk,
      long identity,
      StoreIndex index,
      CompactionThrottle throttle,
      int runId,
      List<RunFile> replacedRuns) {
    this.disk = disk;
    this.identity = identity;
    this.index = index;
    this.throttle = throttle;
    this.runId = runId;
    this.replacedRuns = replacedRuns;
  }

  /** The new run; null if there was no live record. */
  @Nullable RunFile newRun() {
    return newRun;
  }

  /** The runs that the new one replaces. */
  List<RunFile> replacedRuns() {
    return replacedRuns;
  }

  /** Tells the index where the records are now. */
  void applyToIndex() {
    relocations.apply();
  }

  /** Gives memory back. */
  @Override
  public void close() {
    relocations.close();
  }

  /** Ends a scan of the log. */
  private static final class ScanEnd extends IOException {
    private static final long serialVersionUID = 1;
  }

  /**
   * Copies live records from the log.
   *
   * @param until the LSN before which records are copied
   * @param maxBytes stops after so many bytes
   * @return the LSN before which the log is not needed any more
   */
  long flush(long from, long until, long maxBytes) throws IOException {
    try (SortBuffer sortBuffer = new SortBuffer()) {
      long[] end = {until};
      try {
        index
            .log()
            .scan(
                from,
                view -> {
                  if (view.lsn() >= until || sortBuffer.bytes() >= maxBytes) {
                    end[0] = Math.min(until, view.lsn());
                    throw new ScanEnd();
                  }
                  collect(view, sortBuffer);
                });
      } catch (ScanEnd _) {
        // All records that are to be copied were seen.
      }
      if (sortBuffer.bytes() > 0) {
        writeRun(
            from, end[0], writer -> sortBuffer.visitEntries(stored -> copyRecord(stored, writer)));
      }
      return end[0];
    }
  }

  private void collect(RecordView view, SortBuffer sortBuffer) {
    if (!StoreRecordCodec.isEntry(view.type())) {
      return;
    }
    long location = RecordLocation.inLog(view.lsn(), view.type() == StoreRecordCodec.REMOVE);
    StoredSegment segment = index.findSegment(view.cache(), view.segment());
    int print = SlotTable.fingerprintOf(view.metadataPrefix());
    if (segment != null
        && isToBeCopied(segment, print, location, view.lsn(), view.paddedLength())) {
      sortBuffer.add(StoreRecordCodec.toStored(view.lsn(), view.toRecord()));
    }
  }

  /**
   * Whether a record is live, and not a removal of which nothing older is left. Such a removal
   * leaves the index.
   *
   * @param maxLsn the LSN before which the record was appended
   */
  private boolean isToBeCopied(
      StoredSegment segment, int print, long location, long maxLsn, long length) {
    synchronized (segment) {
      if (!segment.isNewest(print, location)) {
        return false;
      }
      if (RecordLocation.isRemoved(location)
          && !segment.isInFlight(location)
          && isWithoutOlder(index, segment, maxLsn, replacedRuns)) {
        relocations.add(segment, print, location, RecordLocation.NONE, length);
        return false;
      }
      return true;
    }
  }

  /** Whether neither log nor runs have a record of a segment that came before an LSN. */
  @GuardedBy("segment")
  private static boolean isWithoutOlder(
      StoreIndex index, StoredSegment segment, long maxLsn, List<RunFile> replaced) {
    if (segment.staleLsn >= maxLsn) {
      return false;
    }
    for (RunFile run : index.runs().allRuns()) {
      RunRange range = run.rangeOf(segment.address());
      if (range != null
          && range.incarnation() >= segment.incarnation
          && run.minLsn() <= maxLsn
          && !replaced.contains(run)) {
        return false;
      }
    }
    return true;
  }

  /** How many bytes of a run are removals that a copy would leave out. */
  static long removableBytes(StoreIndex index, RunFile run) {
    long bytes = 0;
    for (RunRange range : run.ranges()) {
      long removed = Math.min(range.removalBytes(), run.liveBytes(range.address()));
      StoredSegment segment = index.findSegment(range.cache(), range.segment());
      if (removed > 0 && segment != null) {
        synchronized (segment) {
          if (segment.inFlightKeys.isEmpty()
              && isWithoutOlder(index, segment, run.maxLsn(), List.of(run))) {
            bytes += removed;
          }
        }
      }
    }
    return bytes;
  }

  /** Writes the records of a run. */
  private interface RunFiller {
    void fill(RunWriter writer) throws IOException;
  }

  private void writeRun(long minLsn, long maxLsn, RunFiller filler) throws IOException {
    RunWriter writer = new RunWriter(disk, runId, identity, throttle);
    try {
      filler.fill(writer);
      newRun = writer.finish(minLsn, maxLsn);
    } catch (Throwable e) {
      // On a full disk, others need the space of the part that was written.
      writer.deleteUnfinished();
      throw e;
    }
  }

  /** Copies the live records of the runs that are replaced. */
  void merge() throws IOException {
    if (replacedRuns.stream().anyMatch(run -> run.liveBytes() != 0)) {
      long minLsn = replacedRuns.stream().mapToLong(RunFile::minLsn).min().orElse(0);
      long maxLsn = replacedRuns.stream().mapToLong(RunFile::maxLsn).max().orElse(0);
      writeRun(minLsn, maxLsn, writer -> merge(maxLsn, writer));
    }
  }

  private void merge(long maxLsn, RunWriter writer) throws IOException {
    PriorityQueue<RunCursor> cursors =
        new PriorityQueue<>(Comparator.comparing(RunCursor::stored, StoredRecord.RUN_ORDER));
    for (RunFile run : replacedRuns) {
      RunCursor cursor = new RunCursor(run);
      if (cursor.next()) {
        cursors.add(cursor);
      }
    }
    for (RunCursor cursor; (cursor = cursors.poll()) != null; ) {
      StoredRecord stored = cursor.stored();
      StoredSegment segment = index.getOrCreateSegment(stored.cache(), stored.segment());
      if (isToBeCopied(segment, stored.fingerprint(), stored.location(), maxLsn, stored.length())) {
        copyRecord(stored, writer);
      }
      if (cursor.next()) {
        cursors.add(cursor);
      }
    }
  }

  private void copyRecord(StoredRecord stored, RunWriter writer) throws IOException {
    long place = writer.add(stored);
    relocations.add(
        index.getOrCreateSegment(stored.cache(), stored.segment()),
        stored.fingerprint(),
        stored.location(),
        RecordLocation.inRun(runId, place, stored.isRemoved()),
        stored.length());
  }
}
