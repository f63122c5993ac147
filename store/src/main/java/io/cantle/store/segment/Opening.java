package io.cantle.store.segment;

import io.cantle.store.disk.Disk;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.RecordView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a store left behind, however it ended. The last manifest in the log says which runs
 * there are; any other is one that was not finished, or not deleted yet, and goes. The index is
 * read from the last snapshot: what that says of files that are gone since is left out, because
 * whatever of it was wanted was copied into runs the snapshot does not know, and those are read
 * from end to end. Then the log is read, from the snapshot or from where the runs end. Without a
 * snapshot all runs are read.
 *
 * <p>Nothing is written here but deletions, and they come before anything new has the name of a
 * file that was deleted; so it can be stopped anywhere and begun again.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Opening {
  private static final System.Logger LOGGER = System.getLogger(Opening.class.getName());

  private final Disk disk;
  private final long identity;
  private final Contents contents;
  private Manifest manifest;
  private @Nullable String trouble;
  private boolean fromSnapshot;
  private long from;
  private long replayed;
  private int runsRead;

  private Opening(Disk disk, long identity, AppendLog log, Manifest manifest) {
    this.disk = disk;
    this.identity = identity;
    this.contents = new Contents(log);
    this.manifest = manifest;
  }

  static Opening open(Disk disk, long identity, SegmentStore.LogOpening opening)
      throws IOException {
    disk.makeHome();
    String trouble = null;
    OptionalInt number = Snapshot.newest(disk.names());
    Snapshot snapshot = null;
    if (number.isPresent()) {
      try {
        snapshot = Snapshot.open(disk, number.getAsInt(), identity);
      } catch (DamagedException e) {
        trouble = e.getMessage();
      }
    }
    try {
      Manifest[] last = {snapshot == null ? Manifest.EMPTY : snapshot.manifest()};
      AppendLog log =
          opening.open(
              snapshot == null ? 0 : snapshot.lsn(),
              record -> {
                if (record.type() == Records.MANIFEST) {
                  last[0] = Manifest.of(record.value());
                }
              });
      Opening opened = new Opening(disk, identity, log, last[0]);
      opened.trouble = trouble;
      boolean done = false;
      try {
        opened.read(snapshot);
        done = true;
      } finally {
        if (!done) {
          opened.contents.close();
          log.close();
        }
      }
      return opened;
    } finally {
      if (snapshot != null) {
        snapshot.close();
      }
    }
  }

  private void read(@Nullable Snapshot snapshot) throws IOException {
    openRuns();
    Set<Integer> unread = new TreeSet<>(manifest.runs());
    from = manifest.from();
    if (snapshot != null && readSnapshot(snapshot)) {
      fromSnapshot = true;
      from = Math.max(from, snapshot.lsn());
      snapshot.manifest().runs().forEach(unread::remove);
    }
    manifest
        .incarnations()
        .forEach(
            (address, incarnation) -> {
              StoredSegment segment =
                  contents.segment(StoredSegment.cache(address), StoredSegment.segment(address));
              if (incarnation > segment.incarnation) {
                segment.begin(incarnation);
              }
            });
    contents.notes().putAll(manifest.notes());
    if (!fromSnapshot && (trouble != null || manifest.nextRun() > 1)) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "{0}: {1}; all {2} runs and the log are read instead",
          disk.place(),
          trouble == null ? "there is no snapshot of the index" : trouble,
          unread.size());
    }
    for (int run : unread) {
      readRun(run);
    }
    contents.log().scan(from, this::replay);
  }

  private void openRuns() throws IOException {
    List<String> names = disk.names();
    for (int id : manifest.runs()) {
      if (!names.contains(RunFile.name(id))) {
        throw new DamagedException(RunFile.name(id), 0, "it is missing");
      }
      contents.runs().add(RunFile.open(disk, id, identity));
    }
    for (String name : names) {
      OptionalInt id = RunFile.id(name);
      if (id.isPresent() && !manifest.runs().contains(id.getAsInt())) {
        disk.delete(name);
      }
    }
  }

  private boolean readSnapshot(Snapshot snapshot) throws IOException {
    try {
      snapshot.read(contents, manifest);
      return true;
    } catch (DamagedException e) {
      trouble = e.getMessage();
      contents.clear();
      return false;
    }
  }

  private void readRun(int id) throws IOException {
    RunFile run = contents.runs().get(id);
    if (run == null) {
      throw new IllegalStateException("run " + id + " was not opened");
    }
    runsRead++;
    try (RunCursor cursor = new RunCursor(run)) {
      while (cursor.next()) {
        contents.restore(cursor.stored(), cursor.location());
      }
    }
  }

  private void replay(RecordView record) throws IOException {
    switch (record.type()) {
      case Records.PUT, Records.REMOVE -> {
        StoredSegment segment = contents.segment(record.cache(), record.segment());
        if (record.lsn() >= segment.since) {
          Stored stored = Records.stored(record.record());
          contents.restore(stored, Location.inLog(record.lsn(), stored.removed()));
          replayed++;
        }
      }
      case Records.DROP -> {
        StoredSegment segment = contents.segment(record.cache(), record.segment());
        if (record.incarnation() > segment.incarnation) {
          segment.begin(record.incarnation());
        }
      }
      case Records.NOTE ->
          contents.notes().put(new String(record.key(), StandardCharsets.UTF_8), record.value());
      case Records.MANIFEST -> {}
      default ->
          throw new IOException(
              "the log has a record of type " + record.type() + ", which no store writes");
    }
  }

  Contents contents() {
    return contents;
  }

  Manifest manifest() {
    return manifest;
  }

  /** Everything in the log is in the index. */
  long applied() {
    return contents.log().end();
  }

  SegmentStore.Opened opened() {
    long entries = contents.segments().stream().mapToLong(segment -> segment.live).sum();
    return new SegmentStore.Opened(
        fromSnapshot, Optional.ofNullable(trouble), entries, replayed, runsRead);
  }
}
