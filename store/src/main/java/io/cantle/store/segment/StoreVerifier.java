package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.log.LogVerifier;
import io.cantle.store.log.Lsn;
import io.cantle.store.log.RecordView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads everything that a store, or a log alone, left behind, compares it with its checksums, and
 * reports each damage. On request it also counts what there is. It changes nothing, and the store
 * must not be open meanwhile.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class StoreVerifier {
  private final Disk disk;
  private final Consumer<FileDamage> damages;
  private final List<String> names;
  private final RecordSampler samples;
  private final boolean countsRecords;
  private final Map<Integer, LiveRecordCounter> segments = new TreeMap<>(Integer::compareUnsigned);
  private final Map<String, Long> recordsByFile = new TreeMap<>();
  private Manifest manifest = Manifest.EMPTY;
  private boolean hasManifest;
  private final LogVerifier logVerifier;
  private long damageCount;
  private long currentFileId;
  private String currentFileName = "";

  /**
   * A file of the store.
   *
   * @param name its name
   * @param role what it is for, in words
   * @param bytes how long it is
   * @param records how many of its records are as they were written
   */
  public record StoredFile(String name, String role, long bytes, long records) {}

  /**
   * A segment, as it was counted.
   *
   * @param cache the number of its cache
   * @param segment its number
   * @param incarnation how often it was dropped, plus skipped numbers
   * @param keys how many keys it has
   * @param liveBytes how many bytes their records take
   * @param deadBytes how many bytes its other records take
   */
  public record SegmentSummary(
      int cache, int segment, long incarnation, long keys, long liveBytes, long deadBytes) {}

  /** Where the record of a key is, in bytes, and which segment it belongs to. */
  public record RecordExtent(String file, long offset, long length, int cache, int segment) {}

  private StoreVerifier(
      Disk disk, Consumer<FileDamage> damages, int sampleCount, boolean countsRecords)
      throws IOException {
    this.disk = disk;
    this.damages = damages;
    this.names = disk.names().stream().sorted().toList();
    this.samples = new RecordSampler(sampleCount);
    this.countsRecords = countsRecords;
    this.logVerifier = LogVerifier.verify(disk, this::visitRecord, this::reportDamage);
  }

  /**
   * Reads everything once.
   *
   * @param damages gets each damage
   * @throws IOException if something cannot be read
   */
  public static StoreVerifier verify(Disk disk, Consumer<FileDamage> damages) throws IOException {
    StoreVerifier check = new StoreVerifier(disk, damages, 0, false);
    check.readAll();
    return check;
  }

  /**
   * Reads everything, the log twice, and counts keys and bytes by segment. It takes 32 bytes of the
   * heap for each key.
   *
   * @param damages gets each damage
   * @param sampleCount the most {@link #sampledRecords} to collect
   * @throws IOException if something cannot be read
   */
  public static StoreVerifier inspect(Disk disk, Consumer<FileDamage> damages, int sampleCount)
      throws IOException {
    StoreVerifier check = new StoreVerifier(disk, damages, sampleCount, true);
    check.readAll();
    return check;
  }

  /** How many places are damaged. */
  public long damageCount() {
    return damageCount;
  }

  /** How many records are as they were written. */
  public long recordCount() {
    return recordsByFile.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Where the log ends, as file and offset. */
  public String describeLogEnd() {
    return Lsn.describe(logVerifier.endLsn());
  }

  /** Whether the log was closed, so that nothing after its end is missing. */
  public boolean isClosed() {
    return logVerifier.isClosed();
  }

  /** All files. */
  public List<StoredFile> files() throws IOException {
    OptionalInt snapshot = IndexSnapshot.newestNumber(names);
    List<StoredFile> files = new ArrayList<>();
    for (String name : names) {
      files.add(
          new StoredFile(
              name,
              describeFile(name, snapshot),
              length(name),
              recordsByFile.getOrDefault(name, 0L)));
    }
    return files;
  }

  private String describeFile(String name, OptionalInt snapshot) {
    Optional<String> role = logVerifier.describeFile(name);
    if (role.isPresent()) {
      return role.get();
    }
    OptionalInt run = RunFile.NAMES.numberOf(name);
    if (run.isPresent()) {
      return manifest.runIds().contains(run.getAsInt()) ? "run" : "run, not in the store";
    }
    if (IndexSnapshot.NAMES.numberOf(name).isPresent()) {
      return IndexSnapshot.NAMES.numberOf(name).equals(snapshot)
          ? "snapshot of the index"
          : "older snapshot";
    }
    return "not a file of a store";
  }

  private long length(String name) throws IOException {
    try (DiskFile file = disk.open(name, FileAccess.READ)) {
      return file.length();
    }
  }

  /** All segments, by cache and number; none if they were not counted. */
  public List<SegmentSummary> segments() {
    return segments.entrySet().stream()
        .map(
            entry -> {
              LiveRecordCounter count = entry.getValue();
              return new SegmentSummary(
                  StoredSegment.cacheOf(entry.getKey()),
                  StoredSegment.segmentOf(entry.getKey()),
                  count.incarnation(),
                  count.keyCount(),
                  count.liveBytes(),
                  count.deadBytes());
            })
        .toList();
  }

  /** A sample of records of keys, all of which were durable before the last batch was written. */
  public List<RecordExtent> sampledRecords() {
    return samples.select();
  }

  private void reportDamage(FileDamage damage) {
    damageCount++;
    damages.accept(damage);
  }

  private void readAll() throws IOException {
    readSnapshot();
    manifest
        .incarnations()
        .forEach((address, incarnation) -> counterOf(address).beginIncarnation(incarnation));
    for (int run : manifest.runIds()) {
      if (!names.contains(RunFile.NAMES.nameOf(run))) {
        reportDamage(FileDamage.of(RunFile.NAMES.nameOf(run), 0, "it is missing"));
        continue;
      }
      try (RunFile file = RunFile.open(disk, run, logVerifier.identity())) {
        readRun(file);
      } catch (DamagedException e) {
        reportDamage(e.damage());
      }
    }
    if (countsRecords) {
      LogVerifier _ = LogVerifier.verify(disk, this::countRecord, _ -> {});
    }
  }

  /** A record of the log, in the first pass. */
  private void visitRecord(RecordView record) throws IOException {
    if (Lsn.fileId(record.lsn()) != currentFileId) {
      currentFileId = Lsn.fileId(record.lsn());
      currentFileName = Lsn.fileName(record.lsn());
    }
    recordsByFile.merge(currentFileName, 1L, Long::sum);
    if (record.type() == StoreRecordCodec.MANIFEST) {
      try {
        manifest = Manifest.decode(record.value());
        hasManifest = true;
      } catch (IllegalArgumentException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  private void readSnapshot() throws IOException {
    OptionalInt number = IndexSnapshot.newestNumber(names);
    if (number.isEmpty()) {
      return;
    }
    try (IndexSnapshot snapshot =
        IndexSnapshot.open(disk, number.getAsInt(), logVerifier.identity())) {
      if (!hasManifest) {
        manifest = snapshot.manifest();
      }
      snapshot.verify(this::reportDamage);
    } catch (DamagedException e) {
      reportDamage(e.damage());
    }
  }

  private void readRun(RunFile run) throws IOException {
    List<RunRange> damagedRanges = new ArrayList<>();
    RunCursor cursor = new RunCursor(run);
    boolean more = true;
    while (more) {
      try {
        more = cursor.next();
        if (more) {
          countEntry(run.name(), cursor.stored());
        }
      } catch (DamagedException e) {
        reportDamage(e.damage());
        run.ranges().stream()
            .filter(
                range -> range.start() <= e.damage().offset() && e.damage().offset() < range.end())
            .forEach(damagedRanges::add);
        cursor.skipDamage();
      }
    }
    for (RunRange range : run.ranges()) {
      if (!damagedRanges.contains(range)) {
        try {
          run.verifyRange(range);
        } catch (DamagedException e) {
          reportDamage(e.damage());
        }
      }
    }
  }

  private void countEntry(String file, StoredRecord stored) {
    recordsByFile.merge(file, 1L, Long::sum);
    if (countsRecords) {
      samples.add(file, RecordLocation.offset(stored.location()), stored);
      counterOf(StoredSegment.addressOf(stored.cache(), stored.segment())).addVersion(stored);
    }
  }

  /** A record of the log, in the second pass: now it is known which part of the log is needed. */
  private void countRecord(RecordView record) {
    if (record.type() == StoreRecordCodec.NOTE || record.type() == StoreRecordCodec.MANIFEST) {
      return;
    }
    LiveRecordCounter count = counterOf(StoredSegment.addressOf(record.cache(), record.segment()));
    if (record.type() == StoreRecordCodec.DROP) {
      count.beginIncarnation(record.incarnation());
      count.addDead(record.paddedLength());
    } else if (record.lsn() < manifest.neededFromLsn()
        || !StoreRecordCodec.isEntry(record.toRecord())) {
      count.addDead(record.paddedLength());
    } else {
      StoredRecord stored = StoreRecordCodec.toStored(record.lsn(), record.toRecord());
      if (record.lsn() < logVerifier.durableLsn()) {
        samples.add(Lsn.fileName(record.lsn()), Lsn.offset(record.lsn()), stored);
      }
      count.addVersion(stored);
    }
  }

  private LiveRecordCounter counterOf(int address) {
    return segments.computeIfAbsent(address, _ -> new LiveRecordCounter());
  }
}
