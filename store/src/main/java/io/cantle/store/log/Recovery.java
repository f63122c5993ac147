package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a log left behind, however it ended. The files are read in order, each up to the seal
 * that names the next. Where there is no whole frame, either the log ended there, or something that
 * was durable is gone; a frame further on tells, because each says what was durable when it was
 * written. If none says that this place was, it is the torn end: it is sealed, and the log goes on
 * in a new file. If one does, that is damage, and nothing is opened.
 *
 * <p>The order of the steps makes it possible to stop after each of them and begin again. The new
 * file is there before the seal names it; a number between a file and the one its seal names
 * belongs to nobody, and only after the seal is such a file written again. What was read is made
 * durable before anybody relies on it: after the end of a process, not of the machine, the system's
 * cache may be all that has it.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Recovery {
  private final Disk disk;
  private final LogOptions options;
  private final StoreClock clock;
  private final RecordVisitor visitor;
  private final long from;
  private final Catalog catalog;
  private final NavigableSet<Long> live = new TreeSet<>();
  private final List<Long> kept = new ArrayList<>();
  private final List<Long> unused = new ArrayList<>();
  private final List<Catalog.Range> gaps = new ArrayList<>();
  private final List<String> droppedNames = new ArrayList<>();
  private final boolean afterFailure;
  private long lastId;
  private long tail;
  private long tailPlace;
  private @Nullable FileScan reused;

  private Recovery(
      Disk disk,
      LogOptions options,
      StoreClock clock,
      long from,
      RecordVisitor visitor,
      long identity)
      throws IOException {
    this.disk = disk;
    this.options = options;
    this.clock = clock;
    this.from = from;
    this.visitor = visitor;
    disk.makeHome();
    List<String> names = disk.names();
    Catalog found = Catalog.read(disk, names);
    this.catalog = found == null ? new Catalog(identity, List.of()) : found;
    this.afterFailure = names.contains(LogNames.FAILED);
    this.lastId = catalog.lastDropped();
    for (String name : names) {
      OptionalLong id = LogNames.id(name);
      if (id.isPresent()) {
        lastId = Math.max(lastId, id.getAsLong());
        if (catalog.isDropped(id.getAsLong())) {
          droppedNames.add(name);
        } else {
          boolean _ = live.add(id.getAsLong());
        }
      }
    }
    if (found != null) {
      disk.syncNames(SyncPoint.RECOVERED_NAMES);
    }
    for (String name : names) {
      if (LogNames.isUnfinished(name)) {
        disk.delete(name);
      }
    }
    if (found == null) {
      if (!live.isEmpty()) {
        throw new LogException.Damaged(
            LogNames.CATALOG, 0, "it is missing, and there are files " + live);
      }
      catalog.write(disk);
    }
  }

  /** The files to go on with. */
  record Result(LogFiles files, LogFiles.Prepared active) {}

  /**
   * Opens a log.
   *
   * @param from the first number to be shown; files before its own are not read
   * @param identity the number of the log if it is a new one
   * @throws LogException.Damaged if something is lost that was durable
   */
  static Result recover(
      Disk disk,
      LogOptions options,
      StoreClock clock,
      long from,
      RecordVisitor visitor,
      long identity)
      throws IOException {
    Recovery recovery = new Recovery(disk, options, clock, from, visitor, identity);
    recovery.read();
    try {
      return recovery.goOn();
    } catch (IOException e) {
      FailureMark.leave(disk, e);
      throw e;
    }
  }

  private void read() throws IOException {
    long expected = 1;
    while (true) {
      while (catalog.isDropped(expected)) {
        expected++;
      }
      if (!live.contains(expected)) {
        if (live.isEmpty() && catalog.dropped().isEmpty()) {
          return; // A log that was not even begun.
        }
        throw new LogException.Damaged(
            LogNames.file(expected), 0, "it is missing; there are files " + live);
      }
      kept.add(expected);
      long next = read(expected);
      if (next == 0) {
        tail = expected;
        return;
      }
      if (next > expected + 1) {
        // A recovery that was stopped after the seal had not put them away yet.
        gaps.add(new Catalog.Range(expected + 1, next - 1));
        unused.addAll(live.subSet(expected, false, next, false));
      }
      expected = next;
    }
  }

  /** Reads a file; the number of the next, or 0 if the log ends here. */
  private long read(long id) throws IOException {
    try (DiskFile file = disk.open(LogNames.file(id), Access.READ)) {
      FileHead.check(file, catalog.identity(), id);
      if (id < Lsn.file(from)) {
        return id + 1;
      }
      FileScan scan = scan(file, id);
      for (Frame frame; (frame = scan.next()) != null; ) {
        if (frame.kind() == Frame.Kind.SEAL) {
          if (frame.next() <= id) {
            throw new LogException.Damaged(
                LogNames.file(id), Lsn.offset(frame.lsn()), "it goes on in file " + frame.next());
          }
          return frame.next();
        }
        scan.visit(frame, from, visitor);
      }
      tailPlace = scan.place();
      FileScan.Fault fault = scan.fault();
      long proof = proof(file, id, Lsn.of(id, tailPlace));
      if (proof >= 0) {
        throw new LogException.Damaged(
            LogNames.file(id),
            fault.offset(),
            fault.what() + ", and was durable when " + Lsn.text(proof) + " was written");
      }
      return 0;
    }
  }

  private FileScan scan(DiskFile file, long id) throws IOException {
    FileScan before = reused;
    if (before == null) {
      reused = new FileScan(disk, file, id);
      return reused;
    }
    before.begin(file, id);
    return before;
  }

  /** A frame that says that what is at a place was durable; -1 if none does. */
  private long proof(DiskFile file, long id, long place) throws IOException {
    long proof = scan(file, id).proof(Lsn.offset(place) + Disk.BLOCK, place);
    for (long later : live.tailSet(id, false)) {
      if (proof >= 0) {
        break;
      }
      try (DiskFile next = disk.open(LogNames.file(later), Access.READ)) {
        proof = scan(next, later).proof(Disk.BLOCK, place);
      }
    }
    return proof;
  }

  private Result goOn() throws IOException {
    if (afterFailure) {
      for (long id : kept.subList(Math.max(0, kept.size() - FailureMark.FILES), kept.size())) {
        FailureMark.rewrite(disk, LogNames.file(id));
      }
    }
    for (long id : kept) {
      try (DiskFile file = disk.open(LogNames.file(id), Access.READ)) {
        file.force(SyncPoint.RECOVERED);
      }
    }
    LogFiles files = new LogFiles(disk, options, clock, catalog, lastId);
    for (String name : droppedNames) {
      files.recycle(name);
    }
    for (Catalog.Range gap : gaps) {
      files.dropUnused(gap);
    }
    LogFiles.Prepared next = files.take();
    try {
      if (tail != 0) {
        goOnIn(next, files);
      }
      if (afterFailure) {
        disk.delete(LogNames.FAILED);
      }
    } catch (IOException e) {
      next.file().close();
      files.close();
      throw e;
    }
    return new Result(files, next);
  }

  /** Seals the last file and puts away what lies between it and the new one. */
  private void goOnIn(LogFiles.Prepared next, LogFiles files) throws IOException {
    seal(next.id());
    kept.forEach(files::addFull);
    unused.addAll(live.tailSet(tail, false));
    if (next.id() > tail + 1) {
      files.dropUnused(new Catalog.Range(tail + 1, next.id() - 1));
    }
    for (long id : unused) {
      files.recycle(LogNames.file(id));
    }
  }

  /** Says at the end of the last file that the log goes on in the next. */
  private void seal(long next) throws IOException {
    long lsn = Lsn.of(tail, tailPlace);
    ByteBuffer block = disk.buffer(Disk.BLOCK);
    new Frame(Frame.Kind.SEAL, lsn, lsn, next, Frame.HEAD_BYTES, 0).write(block, 0, new CRC32C());
    try (DiskFile file = disk.open(LogNames.file(tail), Access.DURABLE)) {
      file.writeFully(block, tailPlace, SyncPoint.SEAL);
      if (!file.isDurable()) {
        file.force(SyncPoint.SEAL);
      }
    }
  }
}
