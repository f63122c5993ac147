package io.cantle.store.log;

import io.cantle.store.Damage;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
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
 * Reads everything that a log left behind, compares it with every checksum, and goes on behind what
 * is damaged: recovery stops at the first damage, this tells of each. It changes nothing. What
 * counts as the torn end and what as damage is decided as {@link Survey} does: damage is what a
 * frame further on says was durable.
 *
 * <p>The log must not be open meanwhile: a frame that is just being written looks like damage once
 * the one behind it is there.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class LogCheck {
  private final Disk disk;
  private final RecordVisitor visitor;
  private final Consumer<Damage> damages;
  private final NavigableSet<Long> live = new TreeSet<>();
  private final List<Long> read = new ArrayList<>();
  private @Nullable Catalog catalog;
  private long identity;
  private boolean knowsIdentity;
  private long end;
  private long durable;
  private boolean closed;

  private LogCheck(Disk disk, RecordVisitor visitor, Consumer<Damage> damages) {
    this.disk = disk;
    this.visitor = visitor;
    this.damages = damages;
  }

  /** Whether files of these names are of a log. */
  public static boolean isLog(List<String> names) {
    return names.contains(LogNames.CATALOG)
        || names.stream().anyMatch(name -> LogNames.id(name).isPresent());
  }

  /**
   * Reads a log.
   *
   * @param visitor is shown every record that is as it was written, in order
   * @param damages is told of everything else, in order
   * @throws IOException if something cannot be read, or the visitor throws it
   */
  public static LogCheck run(Disk disk, RecordVisitor visitor, Consumer<Damage> damages)
      throws IOException {
    LogCheck check = new LogCheck(disk, visitor, damages);
    check.read();
    return check;
  }

  /** The number of the log; 0 if nothing that says it can be read. */
  public long identity() {
    return identity;
  }

  /** Where the log ends; what is behind was never acknowledged as durable. */
  public long end() {
    return end;
  }

  /** What was durable for certain when the last frame was written: all before this number. */
  public long durable() {
    return durable;
  }

  /** Whether the log was closed. */
  public boolean isClosed() {
    return closed;
  }

  /** What a file is in the log, by its name; empty if it is none of a log's. */
  public Optional<String> role(String name) {
    if (name.equals(LogNames.CATALOG)) {
      return Optional.of("which files were dropped");
    }
    if (name.equals(LogNames.FAILED)) {
      return Optional.of("a write or sync failed here");
    }
    if (LogNames.isUnfinished(name)) {
      return Optional.of("unfinished, nobody relies on it");
    }
    OptionalInt id = LogNames.id(name);
    if (id.isEmpty()) {
      return Optional.empty();
    }
    long number = id.getAsInt();
    if (read.contains(number)) {
      return Optional.of("log");
    }
    return Optional.of(isDropped(number) ? "spare, was dropped" : "prepared, not used yet");
  }

  private boolean isDropped(long id) {
    Catalog known = catalog;
    return known != null && known.isDropped(id);
  }

  private void read() throws IOException {
    List<String> names = disk.names();
    for (String name : names) {
      LogNames.id(name).ifPresent(id -> live.add((long) id));
    }
    try {
      catalog = Catalog.read(disk, names);
      if (catalog != null) {
        identity = catalog.identity();
        knowsIdentity = true;
      } else if (!live.isEmpty()) {
        damages.accept(Damage.of(LogNames.CATALOG, 0, "it is missing, and there are log files"));
      }
    } catch (LogException.Damaged e) {
      damages.accept(e.damage());
    }
    live.removeIf(this::isDropped);
    long next = 1;
    while (next > 0) {
      while (isDropped(next)) {
        next++;
      }
      if (!live.contains(next)) {
        next = missing(next);
      }
      if (next > 0) {
        read.add(next);
        next = readFile(next);
      }
    }
  }

  /** The file to go on with where one is missing; 0 if there is none. */
  private long missing(long id) {
    Long later = live.higher(id);
    // Without a catalog it may have been dropped.
    boolean wasBegun = !read.isEmpty() || !live.isEmpty();
    Catalog known = catalog;
    if (known != null && (wasBegun || !known.dropped().isEmpty())) {
      damages.accept(Damage.of(LogNames.file(id), 0, "it is missing"));
    }
    return later == null ? 0 : later;
  }

  /** Reads a file; the number of the next, or 0 if the log ends here. */
  private long readFile(long id) throws IOException {
    try (DiskFile file = disk.open(LogNames.file(id), Access.READ)) {
      checkHead(file, id);
      FileScan scan = new FileScan(disk, file, id);
      while (true) {
        long place = scan.place();
        Frame frame = scan.next();
        if (frame != null) {
          scan.visit(frame, 0, visitor);
        } else {
          long lsn = Lsn.of(id, place);
          if (!wasDurable(file, id, lsn)) {
            end = lsn;
            durable = closed ? end : durable;
            return 0;
          }
          long following = new FileScan(disk, file, id).proof(place + Disk.BLOCK, -1);
          long until = following < 0 ? file.length() : Lsn.offset(following);
          frame = BrokenFrame.look(file, lsn, until, visitor, damages);
          if (frame == null && following < 0) {
            return after(id);
          }
          scan.seek(frame == null ? until : place + frame.paddedLength());
        }
        if (frame != null) {
          durable = Math.max(durable, frame.durableBefore());
          closed = frame.kind() == Frame.Kind.CLOSED;
          if (frame.kind() == Frame.Kind.SEAL) {
            return frame.next() > id ? frame.next() : after(id);
          }
        }
      }
    }
  }

  private long after(long id) {
    Long later = live.higher(id);
    return later == null ? 0 : later;
  }

  private void checkHead(DiskFile file, long id) throws IOException {
    if (!knowsIdentity) {
      // What the catalog does not say any more, the files do.
      ByteBuffer head = ByteBuffer.allocate(Disk.BLOCK).order(ByteOrder.LITTLE_ENDIAN);
      if (file.readFully(head, 0) == Disk.BLOCK) {
        identity = head.getLong(16);
        knowsIdentity = true;
      }
    }
    try {
      FileHead.check(file, identity, id);
    } catch (LogException.Damaged e) {
      damages.accept(e.damage());
    }
  }

  /** Whether a frame behind a place says that what was there was durable. */
  private boolean wasDurable(DiskFile file, long id, long lsn) throws IOException {
    if (new FileScan(disk, file, id).proof(Lsn.offset(lsn) + Disk.BLOCK, lsn) >= 0) {
      return true;
    }
    for (long later : live.tailSet(id, false)) {
      try (DiskFile next = disk.open(LogNames.file(later), Access.READ)) {
        if (new FileScan(disk, next, later).proof(Disk.BLOCK, lsn) >= 0) {
          return true;
        }
      }
    }
    return false;
  }
}
