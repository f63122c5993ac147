package io.cantle.store.segment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.RecordView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
 * <p>This class does not change the index: its {@link Result} must be published first.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class Compaction {
  private final Disk disk;
  private final long identity;
  private final StoreIndex index;
  private final CompactionThrottle throttle;

  Compaction(Disk disk, long identity, StoreIndex index, CompactionThrottle throttle) {
    this.disk = disk;
    this.identity = identity;
    this.index = index;
    this.throttle = throttle;
  }

  /**
   * What is to be published.
   *
   * @param neededFromLsn the LSN before which the log is not needed after that
   * @param newRun the new run; null if there was no live record
   * @param replacedRuns the runs that it replaces
   * @param relocations the changes of the index
   */
  record Result(
      long neededFromLsn,
      @Nullable RunFile newRun,
      List<RunFile> replacedRuns,
      RelocationList relocations)
      implements AutoCloseable {
    @Override
    public void close() {
      relocations.close();
    }
  }

  /** Ends a scan of the log. */
  private static final class ScanEnd extends IOException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  /**
   * Copies live records from the log.
   *
   * @param id the number of the run
   * @param until the LSN before which records are copied
   * @param maxBytes stops after so many bytes
   */
  Result flush(int id, long from, long until, long maxBytes) throws IOException {
    RelocationList relocations = new RelocationList();
    boolean done = false;
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
                  collect(view, sortBuffer, relocations);
                });
      } catch (ScanEnd _) {
        // All records that are to be copied were seen.
      }
      RunFile run =
          sortBuffer.bytes() == 0 ? null : writeRun(id, sortBuffer, relocations, from, end[0]);
      done = true;
      return new Result(end[0], run, List.of(), relocations);
    } finally {
      if (!done) {
        relocations.close();
      }
    }
  }

  private void collect(RecordView view, SortBuffer sortBuffer, RelocationList relocations) {
    if (!StoreRecordCodec.isEntry(view.type())) {
      return;
    }
    StoredSegment segment = index.findSegment(view.cache(), view.segment());
    if (segment == null) {
      return;
    }
    boolean removed = view.type() == StoreRecordCodec.REMOVE;
    long location = RecordLocation.inLog(view.lsn(), removed);
    int print = SlotTable.fingerprintOf(StoreRecordCodec.hashOf(view));
    synchronized (segment) {
      if (!segment.isNewest(print, location)) {
        return;
      }
      if (removed && isOnlyVersion(segment, location, view.lsn(), List.of())) {
        relocations.add(segment, print, location, RecordLocation.NONE, 0);
        return;
      }
    }
    sortBuffer.add(StoreRecordCodec.toStored(view.toRecord()), location);
  }

  /** Whether nothing of a key is left but its removal, which was appended before an LSN. */
  @GuardedBy("segment")
  private boolean isOnlyVersion(
      StoredSegment segment, long location, long maxLsn, List<RunFile> replaced) {
    return !segment.isInFlight(location)
        && segment.staleLsn < maxLsn
        && !mayHaveOlder(segment, maxLsn, replaced);
  }

  /** Whether a run has a record of a segment that was appended before an LSN. */
  @GuardedBy("segment")
  private boolean mayHaveOlder(StoredSegment segment, long maxLsn, List<RunFile> replaced) {
    for (RunFile run : index.runs().allRuns()) {
      RunRange range = run.rangeOf(segment.address());
      if (range != null
          && range.incarnation() >= segment.incarnation
          && run.minLsn() <= maxLsn
          && !replaced.contains(run)) {
        return true;
      }
    }
    return false;
  }

  /** How many bytes of a run are removals that a copy would leave out. */
  long removableBytes(RunFile run) {
    long bytes = 0;
    for (RunRange range : run.ranges()) {
      long removed = Math.min(range.removalBytes(), run.liveBytes(range.address()));
      StoredSegment segment = index.findSegment(range.cache(), range.segment());
      if (removed > 0 && segment != null) {
        synchronized (segment) {
          if (segment.inFlightKeys.isEmpty()
              && segment.staleLsn < run.maxLsn()
              && !mayHaveOlder(segment, run.maxLsn(), List.of(run))) {
            bytes += removed;
          }
        }
      }
    }
    return bytes;
  }

  private RunFile writeRun(
      int id, SortBuffer sortBuffer, RelocationList relocations, long minLsn, long maxLsn)
      throws IOException {
    return writeRun(
        id,
        minLsn,
        maxLsn,
        writer ->
            sortBuffer.visitGroups(
                (cache, segment, incarnation, items) -> {
                  StoredSegment in = index.getOrCreateSegment(cache, segment);
                  for (SortBuffer.CollectedEntry item : items) {
                    StoredEntry entry = item.entry();
                    boolean removed = RecordLocation.isRemoved(item.location());
                    long place = writer.add(cache, segment, incarnation, entry, removed);
                    relocations.add(
                        in,
                        SlotTable.fingerprintOf(entry.hash()),
                        item.location(),
                        RecordLocation.inRun(id, place, removed),
                        RunRecord.length(entry));
                  }
                }));
  }

  /** Writes the records of a run. */
  private interface RunFiller {
    void fill(RunWriter writer) throws IOException;
  }

  private RunFile writeRun(int id, long minLsn, long maxLsn, RunFiller writing) throws IOException {
    RunWriter writer = new RunWriter(disk, id, identity, throttle);
    RunFile run = null;
    try {
      writing.fill(writer);
      run = writer.finish(minLsn, maxLsn);
      return run;
    } finally {
      if (run == null) {
        // On a full disk, others need the space of the part that was written.
        writer.deleteUnfinished();
      }
    }
  }

  /** Copies the live records of some runs into one. */
  Result merge(int id, long from, List<RunFile> replaced) throws IOException {
    RelocationList relocations = new RelocationList();
    boolean done = false;
    try {
      long minLsn = replaced.stream().mapToLong(RunFile::minLsn).min().orElse(0);
      long maxLsn = replaced.stream().mapToLong(RunFile::maxLsn).max().orElse(0);
      RunFile run =
          replaced.stream().allMatch(victim -> victim.liveBytes() == 0)
              ? null
              : writeRun(
                  id, minLsn, maxLsn, writer -> merge(id, replaced, maxLsn, writer, relocations));
      done = true;
      return new Result(from, run, replaced, relocations);
    } finally {
      if (!done) {
        relocations.close();
      }
    }
  }

  private static final Comparator<RunCursor> BY_KEY_ORDER =
      (one, other) -> {
        StoredRecord firstStored = one.stored();
        StoredRecord secondStored = other.stored();
        if (firstStored.cache() != secondStored.cache()) {
          return Integer.compare(firstStored.cache(), secondStored.cache());
        }
        return firstStored.segment() != secondStored.segment()
            ? Integer.compare(firstStored.segment(), secondStored.segment())
            : firstStored
                .entry()
                .compareOrder(secondStored.entry().hash(), secondStored.entry().key());
      };

  private void merge(
      int id, List<RunFile> replaced, long maxLsn, RunWriter writer, RelocationList relocations)
      throws IOException {
    List<RunCursor> cursors = new ArrayList<>();
    for (RunFile run : replaced) {
      RunCursor cursor = new RunCursor(run);
      if (cursor.next()) {
        cursors.add(cursor);
      }
    }
    while (!cursors.isEmpty()) {
      RunCursor next = cursors.getFirst();
      for (int index = 1; index < cursors.size(); index++) {
        if (BY_KEY_ORDER.compare(cursors.get(index), next) < 0) {
          next = cursors.get(index);
        }
      }
      copyRecord(id, next, replaced, maxLsn, writer, relocations);
      if (!next.next()) {
        cursors.remove(next);
      }
    }
  }

  private void copyRecord(
      int id,
      RunCursor from,
      List<RunFile> replaced,
      long maxLsn,
      RunWriter writer,
      RelocationList relocations)
      throws IOException {
    StoredRecord stored = from.stored();
    StoredEntry entry = stored.entry();
    StoredSegment segment = index.getOrCreateSegment(stored.cache(), stored.segment());
    int print = SlotTable.fingerprintOf(entry.hash());
    synchronized (segment) {
      if (!segment.isNewest(print, from.location())) {
        return;
      }
      if (stored.isRemoved() && isOnlyVersion(segment, from.location(), maxLsn, replaced)) {
        relocations.add(segment, print, from.location(), RecordLocation.NONE, stored.length());
        return;
      }
    }
    long place =
        writer.add(
            stored.cache(), stored.segment(), stored.incarnation(), entry, stored.isRemoved());
    relocations.add(
        segment,
        print,
        from.location(),
        RecordLocation.inRun(id, place, stored.isRemoved()),
        stored.length());
  }
}
