package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.RecordView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a store left behind, however it ended. The last manifest in the log says which runs
 * belong to the store. Any other run was not finished, or not deleted yet, and is deleted.
 *
 * <p>The index is read from the last snapshot. Locations in files that are gone since then are left
 * out: whatever was live there was copied into runs that the snapshot does not know, and those runs
 * are read from end to end. Then the log is read, from the snapshot or from where the runs end.
 * Without a snapshot all runs are read.
 *
 * <p>Recovery writes nothing and only deletes. It deletes before a new file can get the name of a
 * deleted one, so it may be stopped anywhere and begun again.
 *
 * <p><b>Threading:</b> one thread.
 */
final class StoreRecovery {
  private static final System.Logger LOGGER = System.getLogger(StoreRecovery.class.getName());

  private final Disk disk;
  private final long identity;
  private final StoreIndex index;
  private Manifest manifest;
  private @Nullable String snapshotProblem;
  private boolean fromSnapshot;
  private long replayFromLsn;

  private StoreRecovery(Disk disk, long identity, AppendLog log, Manifest manifest) {
    this.disk = disk;
    this.identity = identity;
    this.index = new StoreIndex(log);
    this.manifest = manifest;
  }

  static StoreRecovery open(Disk disk, long identity, SegmentStore.LogOpener opening)
      throws IOException {
    disk.createDirectory();
    String trouble = null;
    OptionalInt number = IndexSnapshot.newestNumber(disk.names());
    IndexSnapshot newest = null;
    if (number.isPresent()) {
      try {
        newest = IndexSnapshot.open(disk, number.getAsInt(), identity);
      } catch (DamagedException e) {
        trouble = e.getMessage();
      }
    }
    try (IndexSnapshot snapshot = newest) {
      Manifest[] last = {snapshot == null ? Manifest.EMPTY : snapshot.manifest()};
      AppendLog log =
          opening.open(
              snapshot == null ? 0 : snapshot.lsn(),
              record -> {
                if (record.type() == StoreRecordCodec.MANIFEST) {
                  last[0] = Manifest.decode(record.value());
                }
              });
      StoreRecovery recovery = new StoreRecovery(disk, identity, log, last[0]);
      recovery.snapshotProblem = trouble;
      try {
        recovery.rebuildIndex(snapshot);
        return recovery;
      } catch (Throwable e) {
        recovery.index.close();
        log.close();
        throw e;
      }
    }
  }

  private void rebuildIndex(@Nullable IndexSnapshot snapshot) throws IOException {
    openRuns();
    Set<Integer> unread = new TreeSet<>(manifest.runIds());
    replayFromLsn = manifest.neededFromLsn();
    if (snapshot != null && readSnapshot(snapshot)) {
      fromSnapshot = true;
      replayFromLsn = Math.max(replayFromLsn, snapshot.lsn());
      snapshot.manifest().runIds().forEach(unread::remove);
    }
    manifest
        .incarnations()
        .forEach(
            (address, incarnation) ->
                index
                    .getOrCreateSegment(
                        StoredSegment.cacheOf(address), StoredSegment.segmentOf(address))
                    .applyDrop(incarnation));
    index.notes().putAll(manifest.notes());
    if (!fromSnapshot && (snapshotProblem != null || manifest.nextRunId() > 1)) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "{0}: {1}; all {2} runs and the log are read instead",
          disk.location(),
          snapshotProblem == null ? "there is no snapshot of the index" : snapshotProblem,
          unread.size());
    }
    for (int id : unread) {
      readRun(Objects.requireNonNull(index.runs().get(id), () -> "run " + id + " was not opened"));
    }
    index.log().scan(replayFromLsn, this::replayRecord);
  }

  private void openRuns() throws IOException {
    List<String> names = disk.names();
    for (int id : manifest.runIds()) {
      if (!names.contains(RunFile.NAMES.nameOf(id))) {
        throw new DamagedException(RunFile.NAMES.nameOf(id), 0, "it is missing");
      }
      index.runs().add(RunFile.open(disk, id, identity));
    }
    for (String name : names) {
      OptionalInt id = RunFile.NAMES.numberOf(name);
      if (id.isPresent() && !manifest.runIds().contains(id.getAsInt())) {
        disk.delete(name);
      }
    }
  }

  private boolean readSnapshot(IndexSnapshot snapshot) throws IOException {
    try {
      snapshot.readInto(index, manifest);
      return true;
    } catch (DamagedException e) {
      snapshotProblem = e.getMessage();
      index.clear();
      return false;
    }
  }

  private void readRun(RunFile run) throws IOException {
    RunCursor cursor = new RunCursor(run);
    while (cursor.next()) {
      index.restoreRecord(cursor.stored());
    }
  }

  @SuppressWarnings("GuardedBy") // One thread opens a store.
  private void replayRecord(RecordView record) throws IOException {
    switch (record.type()) {
      case StoreRecordCodec.PUT, StoreRecordCodec.REMOVE -> {
        StoredSegment segment = index.getOrCreateSegment(record.cache(), record.segment());
        if (record.lsn() >= segment.indexedFromLsn) {
          index.restoreRecord(StoreRecordCodec.toStored(record.lsn(), record.toRecord()));
        }
      }
      case StoreRecordCodec.DROP ->
          index
              .getOrCreateSegment(record.cache(), record.segment())
              .applyDrop(record.incarnation());
      case StoreRecordCodec.NOTE ->
          index.notes().put(new String(record.key(), StandardCharsets.UTF_8), record.value());
      case StoreRecordCodec.MANIFEST -> {}
      default ->
          throw new IOException(
              "the log has a record of type " + record.type() + ", which no store writes");
    }
  }

  StoreIndex index() {
    return index;
  }

  Manifest manifest() {
    return manifest;
  }

  /** The LSN before which the whole log is in the index. */
  long appliedLsn() {
    return index.log().endLsn();
  }

  SegmentStore.OpenReport report() {
    return new SegmentStore.OpenReport(fromSnapshot, Optional.ofNullable(snapshotProblem));
  }
}
