package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Opens what a log left behind, as a {@link Survey} found it: seals the torn end, and goes on in a
 * new file.
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
  private final Survey survey;
  private final Catalog catalog;

  private Recovery(
      Disk disk, LogOptions options, StoreClock clock, Survey survey, Catalog catalog) {
    this.disk = disk;
    this.options = options;
    this.clock = clock;
    this.survey = survey;
    this.catalog = catalog;
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
    disk.makeHome();
    Survey survey = new Survey(disk, from, visitor);
    survey.read();
    try {
      return new Recovery(disk, options, clock, survey, catalog(disk, survey, identity)).goOn();
    } catch (IOException e) {
      FailureMark.leave(disk, e);
      throw e;
    }
  }

  /** The catalog, a new one if there is none; and no file that was left unfinished. */
  private static Catalog catalog(Disk disk, Survey survey, long identity) throws IOException {
    Catalog found = survey.catalog();
    if (found != null) {
      disk.syncNames(SyncPoint.RECOVERED_NAMES);
    }
    for (String name : survey.names()) {
      if (LogNames.isUnfinished(name)) {
        disk.delete(name);
      }
    }
    if (found != null) {
      return found;
    }
    Catalog begun = new Catalog(identity, List.of());
    begun.write(disk);
    return begun;
  }

  private Result goOn() throws IOException {
    List<Long> kept = survey.kept();
    boolean afterFailure = survey.names().contains(LogNames.FAILED);
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
    LogFiles files = new LogFiles(disk, options, clock, catalog, survey.lastId());
    for (String name : survey.droppedNames()) {
      files.recycle(name);
    }
    for (Catalog.Range gap : survey.gaps()) {
      files.dropUnused(gap);
    }
    // One that was prepared and not used yet is the next again, under another number.
    for (long id : survey.empty()) {
      files.dropUnused(new Catalog.Range(id, id));
      files.recycle(LogNames.file(id));
    }
    LogFiles.Prepared next = files.take();
    try {
      if (survey.tail() != 0) {
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
    survey.kept().forEach(files::addFull);
    long tail = survey.tail();
    if (next.id() > tail + 1) {
      files.dropUnused(new Catalog.Range(tail + 1, next.id() - 1));
    }
    for (long id : survey.unused()) {
      if (!survey.empty().contains(id)) {
        files.recycle(LogNames.file(id));
      }
    }
  }

  /** Says at the end of the last file that the log goes on in the next. */
  private void seal(long next) throws IOException {
    long lsn = Lsn.of(survey.tail(), survey.tailPlace());
    ByteBuffer block = disk.buffer(Disk.BLOCK);
    new Frame(Frame.Kind.SEAL, lsn, lsn, next, Frame.HEAD_BYTES, 0).write(block, 0, new CRC32C());
    try (DiskFile file = disk.open(LogNames.file(survey.tail()), Access.DURABLE)) {
      file.writeFully(block, survey.tailPlace(), SyncPoint.SEAL);
      if (!file.isDurable()) {
        file.force(SyncPoint.SEAL);
      }
    }
  }
}
