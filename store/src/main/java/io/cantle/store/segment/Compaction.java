package io.cantle.store.segment;

import io.cantle.store.disk.Disk;
import io.cantle.store.log.RecordView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies what is wanted into one new run, sorted by segment, hash and key: what the log has, from
 * where the runs end; or what some runs have that hold much that is not wanted any more.
 *
 * <p>A removal is left out once no older version of its key can be anywhere: in no other run that
 * has records of that segment and of that age, nor in the log, where an older version could only be
 * one that came too late; the segment knows the last of those, and a key that is being written is
 * known too.
 *
 * <p>Nothing is told to the index here: {@link Result} is to be published first.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class Compaction {
  private final Disk disk;
  private final long identity;
  private final Contents contents;
  private final Pace pace;

  Compaction(Disk disk, long identity, Contents contents, Pace pace) {
    this.disk = disk;
    this.identity = identity;
    this.contents = contents;
    this.pace = pace;
  }

  /**
   * What is to be published.
   *
   * @param from what the log has before this number is not needed then
   * @param run the new run; null if nothing was wanted
   * @param replaced the runs in whose place it is
   * @param moves what the index is to learn
   */
  record Result(long from, @Nullable RunFile run, List<RunFile> replaced, Moves moves)
      implements AutoCloseable {
    @Override
    public void close() {
      moves.close();
    }
  }

  /** Ends a scan of the log. */
  private static final class Enough extends IOException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  /**
   * Copies what the log has.
   *
   * @param id the number of the run
   * @param until only what was appended before this number
   * @param mostBytes ends after so many bytes
   */
  Result flush(int id, long from, long until, long mostBytes) throws IOException {
    Moves moves = new Moves();
    boolean done = false;
    try (Gathered gathered = new Gathered()) {
      long[] end = {until};
      try {
        contents
            .log()
            .scan(
                from,
                view -> {
                  if (view.lsn() >= until || gathered.bytes() >= mostBytes) {
                    end[0] = Math.min(until, view.lsn());
                    throw new Enough();
                  }
                  gather(view, gathered, moves);
                });
      } catch (Enough _) {
        // All that is wanted was seen.
      }
      RunFile run = gathered.bytes() == 0 ? null : write(id, gathered, moves, from, end[0]);
      done = true;
      return new Result(end[0], run, List.of(), moves);
    } finally {
      if (!done) {
        moves.close();
      }
    }
  }

  private void gather(RecordView view, Gathered gathered, Moves moves) {
    if (!Records.isEntry(view.type())) {
      return;
    }
    StoredSegment segment = contents.find(view.cache(), view.segment());
    if (segment == null) {
      return;
    }
    boolean removed = view.type() == Records.REMOVE;
    long location = Location.inLog(view.lsn(), removed);
    int print = SlotTable.print(Records.hash(view));
    segment.lock.lock();
    try {
      if (!segment.isNewest(print, location)) {
        return;
      }
      if (removed && isLast(segment, location, view.lsn(), List.of())) {
        moves.add(segment, print, location, Location.NONE, 0);
        return;
      }
    } finally {
      segment.lock.unlock();
    }
    gathered.add(Records.stored(view.record()), location);
  }

  /** Whether nothing is left of a key but its removal, which was appended before a number. */
  private boolean isLast(
      StoredSegment segment, long location, long maxLsn, List<RunFile> replaced) {
    return !segment.isPending(location)
        && segment.staleLsn < maxLsn
        && !hasOlder(segment, maxLsn, replaced);
  }

  /** Whether a run has something of a segment that was appended before a number. */
  private boolean hasOlder(StoredSegment segment, long maxLsn, List<RunFile> replaced) {
    for (RunFile run : contents.runs().all()) {
      Range range = run.range(segment.address());
      if (range != null
          && range.incarnation() >= segment.incarnation
          && run.minLsn() <= maxLsn
          && !replaced.contains(run)) {
        return true;
      }
    }
    return false;
  }

  /** How many bytes of a run are removals that would be left out if it were copied. */
  long removableBytes(RunFile run) {
    long bytes = 0;
    for (Range range : run.ranges()) {
      long removed = Math.min(range.removed(), range.live().get());
      StoredSegment segment = contents.find(range.cache(), range.segment());
      if (removed > 0 && segment != null) {
        segment.lock.lock();
        try {
          if (segment.pending.isEmpty()
              && segment.staleLsn < run.maxLsn()
              && !hasOlder(segment, run.maxLsn(), List.of(run))) {
            bytes += removed;
          }
        } finally {
          segment.lock.unlock();
        }
      }
    }
    return bytes;
  }

  private RunFile write(int id, Gathered gathered, Moves moves, long minLsn, long maxLsn)
      throws IOException {
    return write(
        id,
        minLsn,
        maxLsn,
        writer ->
            gathered.giveBack(
                (cache, segment, incarnation, items) -> {
                  StoredSegment in = contents.segment(cache, segment);
                  for (Gathered.Item item : items) {
                    StoredEntry entry = item.entry();
                    boolean removed = Location.isRemoved(item.location());
                    long place = writer.add(cache, segment, incarnation, entry, removed);
                    moves.add(
                        in,
                        SlotTable.print(entry.hash()),
                        item.location(),
                        Location.inRun(id, place, removed),
                        RunRecord.length(entry));
                  }
                }));
  }

  /** Writes the records of a run. */
  private interface Writing {
    void write(RunWriter writer) throws IOException;
  }

  private RunFile write(int id, long minLsn, long maxLsn, Writing writing) throws IOException {
    RunWriter writer = new RunWriter(disk, id, identity, pace);
    RunFile run = null;
    try {
      writing.write(writer);
      run = writer.finish(minLsn, maxLsn);
      return run;
    } finally {
      if (run == null) {
        // On a full disk the part that was written is what others need now.
        writer.abandon();
      }
    }
  }

  /** Copies what some runs have that is wanted. */
  Result merge(int id, long from, List<RunFile> replaced) throws IOException {
    Moves moves = new Moves();
    boolean done = false;
    try {
      long minLsn = replaced.stream().mapToLong(RunFile::minLsn).min().orElse(0);
      long maxLsn = replaced.stream().mapToLong(RunFile::maxLsn).max().orElse(0);
      RunFile run =
          replaced.stream().allMatch(victim -> victim.liveBytes() == 0)
              ? null
              : write(id, minLsn, maxLsn, writer -> merge(id, replaced, maxLsn, writer, moves));
      done = true;
      return new Result(from, run, replaced, moves);
    } finally {
      if (!done) {
        moves.close();
      }
    }
  }

  private static final Comparator<RunCursor> BY_PLACE =
      (one, other) -> {
        Stored mine = one.stored();
        Stored others = other.stored();
        if (mine.cache() != others.cache()) {
          return Integer.compare(mine.cache(), others.cache());
        }
        return mine.segment() != others.segment()
            ? Integer.compare(mine.segment(), others.segment())
            : mine.entry().comparePlace(others.entry().hash(), others.entry().key());
      };

  private void merge(int id, List<RunFile> replaced, long maxLsn, RunWriter writer, Moves moves)
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
        if (BY_PLACE.compare(cursors.get(index), next) < 0) {
          next = cursors.get(index);
        }
      }
      copy(id, next, replaced, maxLsn, writer, moves);
      if (!next.next()) {
        cursors.remove(next);
      }
    }
  }

  private void copy(
      int id, RunCursor from, List<RunFile> replaced, long maxLsn, RunWriter writer, Moves moves)
      throws IOException {
    Stored stored = from.stored();
    StoredEntry entry = stored.entry();
    StoredSegment segment = contents.segment(stored.cache(), stored.segment());
    int print = SlotTable.print(entry.hash());
    segment.lock.lock();
    try {
      if (!segment.isNewest(print, from.location())) {
        return;
      }
      if (stored.removed() && isLast(segment, from.location(), maxLsn, replaced)) {
        moves.add(segment, print, from.location(), Location.NONE, stored.length());
        return;
      }
    } finally {
      segment.lock.unlock();
    }
    long place =
        writer.add(stored.cache(), stored.segment(), stored.incarnation(), entry, stored.removed());
    moves.add(
        segment,
        print,
        from.location(),
        Location.inRun(id, place, stored.removed()),
        stored.length());
  }
}
