package io.cantle.store.segment;

import io.cantle.store.Damage;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.log.LogCheck;
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
import org.jspecify.annotations.Nullable;

/**
 * Reads everything a store, or a log alone, left behind, compares all of it with its checksums, and
 * tells of each damage; says what there is as well if asked for. It changes nothing, and the store
 * must not be open meanwhile.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class StoreCheck {
  private final Disk disk;
  private final Consumer<Damage> damages;
  private final List<String> names;
  private final Samples samples;
  private final boolean counts;
  private final Map<Integer, SegmentCount> segments = new TreeMap<>(Integer::compareUnsigned);
  private final Map<String, Long> records = new TreeMap<>();
  private Manifest manifest = Manifest.EMPTY;
  private boolean hasManifest;
  private @Nullable LogCheck log;
  private long damaged;
  private long fileNumber;
  private String fileName = "";

  /**
   * A file.
   *
   * @param name its name
   * @param role what it is for, in words
   * @param bytes how long it is
   * @param records how many records of it are as they were written
   */
  public record StoredFile(String name, String role, long bytes, long records) {}

  /**
   * A segment.
   *
   * @param cache the number of its cache
   * @param segment its number
   * @param life how often it was dropped, and numbers left out
   * @param keys how many keys it has
   * @param liveBytes how many bytes their records take
   * @param deadBytes how many bytes other records of it take
   */
  public record Segment(
      int cache, int segment, long life, long keys, long liveBytes, long deadBytes) {}

  /** Where the record of a key is, in bytes, and of which segment it is. */
  public record Place(String file, long offset, long length, int cache, int segment) {}

  private StoreCheck(Disk disk, Consumer<Damage> damages, int sampleCount, boolean counts)
      throws IOException {
    this.disk = disk;
    this.damages = damages;
    this.names = disk.names().stream().sorted().toList();
    this.samples = new Samples(sampleCount);
    this.counts = counts;
  }

  /** Whether files of these names are of a store or of a log. */
  public static boolean isStore(List<String> names) {
    return LogCheck.isLog(names);
  }

  /**
   * Reads all there is once.
   *
   * @param damages is told of each damage
   * @throws IOException if something cannot be read
   */
  public static StoreCheck verify(Disk disk, Consumer<Damage> damages) throws IOException {
    StoreCheck check = new StoreCheck(disk, damages, 0, false);
    check.read();
    return check;
  }

  /**
   * Reads all there is, the log twice, and counts keys and bytes by segment; 32 bytes of the heap
   * for each key.
   *
   * @param damages is told of each damage
   * @param sampleCount how many {@link #places} there are to be at most
   * @throws IOException if something cannot be read
   */
  public static StoreCheck inspect(Disk disk, Consumer<Damage> damages, int sampleCount)
      throws IOException {
    StoreCheck check = new StoreCheck(disk, damages, sampleCount, true);
    check.read();
    return check;
  }

  /** How many places are damaged. */
  public long damaged() {
    return damaged;
  }

  /** How many records are as they were written. */
  public long recordCount() {
    return records.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Where the log ends, as file and offset. */
  public String logEnd() {
    return Lsn.text(log().end());
  }

  /** Whether the log was closed, so that nothing behind its end is missing. */
  public boolean isClosed() {
    return log().isClosed();
  }

  /** The first number of the log that the runs do not have; 0 while there are none. */
  public long neededFrom() {
    return manifest.from();
  }

  /** All files. */
  public List<StoredFile> files() throws IOException {
    OptionalInt snapshot = Snapshot.newest(names);
    List<StoredFile> files = new ArrayList<>();
    for (String name : names) {
      files.add(
          new StoredFile(name, role(name, snapshot), length(name), records.getOrDefault(name, 0L)));
    }
    return files;
  }

  private String role(String name, OptionalInt snapshot) {
    Optional<String> role = log().role(name);
    if (role.isPresent()) {
      return role.get();
    }
    OptionalInt run = RunFile.id(name);
    if (run.isPresent()) {
      return manifest.runs().contains(run.getAsInt()) ? "run" : "run, not in the store";
    }
    if (Snapshot.number(name).isPresent()) {
      return Snapshot.number(name).equals(snapshot) ? "snapshot of the index" : "older snapshot";
    }
    return "none of a store's";
  }

  private long length(String name) throws IOException {
    try (DiskFile file = disk.open(name, Access.READ)) {
      return file.length();
    }
  }

  /** All segments, by cache and number; none if they were not counted. */
  public List<Segment> segments() {
    return segments.entrySet().stream()
        .map(
            entry -> {
              SegmentCount count = entry.getValue();
              return new Segment(
                  StoredSegment.cache(entry.getKey()),
                  StoredSegment.segment(entry.getKey()),
                  count.life(),
                  count.keys(),
                  count.liveBytes(),
                  count.deadBytes());
            })
        .toList();
  }

  /** Some records of keys, all of which were durable before the last batch was written. */
  public List<Place> places() {
    return samples.some();
  }

  private LogCheck log() {
    LogCheck read = log;
    if (read == null) {
      throw new IllegalStateException("nothing was read yet");
    }
    return read;
  }

  private void damage(Damage damage) {
    damaged++;
    damages.accept(damage);
  }

  private void read() throws IOException {
    LogCheck read = LogCheck.run(disk, this::see, this::damage);
    log = read;
    readSnapshot(read.identity());
    manifest
        .incarnations()
        .forEach(
            (address, life) ->
                count(StoredSegment.cache(address), StoredSegment.segment(address)).begin(life));
    for (int run : manifest.runs()) {
      if (!names.contains(RunFile.name(run))) {
        damage(Damage.of(RunFile.name(run), 0, "it is missing"));
        continue;
      }
      try (RunFile file = RunFile.open(disk, run, read.identity())) {
        readRun(file);
      } catch (DamagedException e) {
        damage(e.damage());
      }
    }
    if (counts) {
      LogCheck _ = LogCheck.run(disk, record -> countRecord(record, read.durable()), _ -> {});
    }
  }

  /** A record of the log, the first time. */
  private void see(RecordView record) throws IOException {
    if (Lsn.file(record.lsn()) != fileNumber) {
      fileNumber = Lsn.file(record.lsn());
      fileName = Lsn.fileName(record.lsn());
    }
    records.merge(fileName, 1L, Long::sum);
    if (record.type() == Records.MANIFEST) {
      try {
        manifest = Manifest.of(record.value());
        hasManifest = true;
      } catch (IllegalArgumentException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  private void readSnapshot(long identity) throws IOException {
    OptionalInt number = Snapshot.newest(names);
    if (number.isEmpty()) {
      return;
    }
    try (Snapshot snapshot = Snapshot.open(disk, number.getAsInt(), identity)) {
      if (!hasManifest) {
        manifest = snapshot.manifest();
      }
      snapshot.check(e -> damage(e.damage()));
    } catch (DamagedException e) {
      damage(e.damage());
    }
  }

  private void readRun(RunFile run) throws IOException {
    List<Range> damagedRanges = new ArrayList<>();
    try (RunCursor cursor = new RunCursor(run)) {
      boolean more = true;
      while (more) {
        try {
          more = cursor.next();
          if (more) {
            countEntry(run, cursor);
          }
        } catch (DamagedException e) {
          damage(e.damage());
          run.ranges().stream()
              .filter(range -> range.start() <= e.offset() && e.offset() < range.end())
              .forEach(damagedRanges::add);
          passDamage(cursor);
        }
      }
    }
    for (Range range : run.ranges()) {
      if (!damagedRanges.contains(range)) {
        try {
          run.verifyBytes(range);
        } catch (DamagedException e) {
          damage(e.damage());
        }
      }
    }
  }

  private static void passDamage(RunCursor cursor) throws IOException {
    try {
      cursor.passDamage();
    } catch (DamagedException _) {
      // The file ends, which was told.
      cursor.passRange();
    }
  }

  private void countEntry(RunFile run, RunCursor cursor) {
    records.merge(run.name(), 1L, Long::sum);
    Stored stored = cursor.stored();
    if (counts) {
      samples.add(
          run.name(),
          Location.offset(cursor.location()),
          stored.length(),
          stored.cache(),
          stored.segment());
      count(stored.cache(), stored.segment())
          .add(
              stored.incarnation(),
              stored.entry().key(),
              stored.entry().epoch(),
              stored.entry().index(),
              stored.removed(),
              stored.length());
    }
  }

  /** A record of the log, the second time: now it is known from where on the log is needed. */
  private void countRecord(RecordView record, long durable) {
    SegmentCount count;
    switch (record.type()) {
      case Records.NOTE, Records.MANIFEST -> {
        return;
      }
      default -> count = count(record.cache(), record.segment());
    }
    if (record.type() == Records.DROP) {
      count.begin(record.incarnation());
      count.addDead(record.length());
    } else if (record.lsn() < manifest.from()) {
      count.addDead(record.length());
    } else {
      if (record.lsn() < durable) {
        samples.add(
            Lsn.fileName(record.lsn()),
            Lsn.offset(record.lsn()),
            record.length(),
            record.cache(),
            record.segment());
      }
      count.add(
          record.incarnation(),
          record.key(),
          record.epoch(),
          record.index(),
          record.type() == Records.REMOVE,
          record.length());
    }
  }

  private SegmentCount count(int cache, int segment) {
    return segments.computeIfAbsent(StoredSegment.address(cache, segment), _ -> new SegmentCount());
  }
}
