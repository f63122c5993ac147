package io.cantle.store.log;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a log left behind, however it ended, and changes nothing. The files are read in order,
 * each up to the seal that names the next. Where there is no whole frame, either the log ended
 * there, or something that was durable is gone; a frame further on tells, because each says what
 * was durable when it was written. If none says that this place was, it is the torn end. If one
 * does, that is damage.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Survey {
  private final Disk disk;
  private final RecordVisitor visitor;
  private final long from;
  private final List<String> names;
  private final @Nullable Catalog catalog;
  private final NavigableSet<Long> live = new TreeSet<>();
  private final List<String> droppedNames = new ArrayList<>();
  private final List<Long> kept = new ArrayList<>();
  private final List<Long> unused = new ArrayList<>();
  private final List<Long> empty = new ArrayList<>();
  private final List<Catalog.Range> gaps = new ArrayList<>();
  private long lastId;
  private long tail;
  private long tailPlace;
  private @Nullable FileScan reused;

  /**
   * What is on a disk.
   *
   * @param from the first number to be shown; files before its own are not read
   * @throws LogException.Damaged if the catalog is
   */
  Survey(Disk disk, long from, RecordVisitor visitor) throws IOException {
    this.disk = disk;
    this.from = from;
    this.visitor = visitor;
    this.names = disk.names();
    this.catalog = Catalog.read(disk, names);
    this.lastId = catalog == null ? 0 : catalog.lastDropped();
    for (String name : names) {
      OptionalInt known = LogNames.id(name);
      if (known.isPresent()) {
        long id = known.getAsInt();
        lastId = Math.max(lastId, id);
        if (catalog != null && catalog.isDropped(id)) {
          droppedNames.add(name);
        } else {
          boolean _ = live.add(id);
        }
      }
    }
    if (catalog == null && !live.isEmpty()) {
      throw new LogException.Damaged(
          LogNames.CATALOG, 0, "it is missing, and there are files " + live);
    }
  }

  /** All names there are. */
  List<String> names() {
    return names;
  }

  /** The catalog; null if there is none, and no log. */
  @Nullable Catalog catalog() {
    return catalog;
  }

  /** Files that the catalog calls dropped. */
  List<String> droppedNames() {
    return droppedNames;
  }

  /** The highest number that was given to a file. */
  long lastId() {
    return lastId;
  }

  /** The files of the log that were read, in order. */
  List<Long> kept() {
    return kept;
  }

  /** Files that belong to nobody: a seal leaves them out, or they come after the end. */
  List<Long> unused() {
    return unused;
  }

  /** Those of them in which there is nothing at all. */
  List<Long> empty() {
    return empty;
  }

  /** Numbers that seals leave out. */
  List<Catalog.Range> gaps() {
    return gaps;
  }

  /** The file the log ends in; 0 if there is none. */
  long tail() {
    return tail;
  }

  /** Where it ends. */
  long tailPlace() {
    return tailPlace;
  }

  /**
   * Reads all files and shows what is in them.
   *
   * @throws LogException.Damaged at the first place that is not as it was written
   */
  void read() throws IOException {
    if (catalog == null) {
      return;
    }
    readFiles(catalog);
    unused.addAll(tail == 0 ? live : live.tailSet(tail, false));
  }

  private void readFiles(Catalog catalog) throws IOException {
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
      long next = read(expected, catalog.identity());
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
  private long read(long id, long identity) throws IOException {
    try (DiskFile file = disk.open(LogNames.file(id), Access.READ)) {
      FileHead.check(file, identity, id);
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
        throw fault.damage(id, ", and was durable when " + Lsn.text(proof) + " was written");
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
        FileScan scan = scan(next, later);
        proof = scan.proof(Disk.BLOCK, place);
        if (proof < 0 && !scan.sawFrame()) {
          empty.add(later);
        }
      }
    }
    return proof;
  }
}
