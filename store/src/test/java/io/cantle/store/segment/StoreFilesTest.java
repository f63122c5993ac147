package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreException;
import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SimulatedDisk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.RecordVisitor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests what the files of a store hold, how much of them is read, and what is reported when they
 * are damaged.
 */
@SuppressWarnings("GuardedBy") // One thread does everything.
class StoreFilesTest {
  private static final StoreOptions SMALL =
      StoreOptions.of(LogOptions.DEFAULT.withFileBytes(1 << 17));
  private static final long TIMEOUT_NANOS = ThreadlessStore.TIMEOUT_NANOS;

  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));

  @Test
  void readsAtMostTwiceTheLiveBytesOfASegment() throws Exception {
    CountingDisk counting = new CountingDisk(disk);
    try (ThreadlessStore idle = ThreadlessStore.open(counting, SMALL)) {
      SegmentStore store = idle.store();
      Random random = new Random(5);
      for (int write = 0; write < 9000; write++) {
        int key = random.nextInt(6000);
        put(store, key % 256, key, write, 400);
      }
      store.compactionScheduler().compactAll();
      for (int segment = 0; segment < 256; segment += 51) {
        long[] live = {0};
        counting.read = 0;
        store.scan(
            1,
            segment,
            StoreCursor.START,
            entry -> {
              live[0] += entry.key().length + entry.value().length;
              return true;
            });
        assertThat(live[0]).isGreaterThan(4000);
        assertThat(counting.read).isLessThanOrEqualTo(2 * live[0]);
      }
    }
  }

  @Test
  void keepsDiskUsageNearLiveBytes() throws Exception {
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      SegmentStore store = idle.store();
      for (int write = 0; write < 20_000; write++) {
        put(store, write % 4, write % 500, write, 300);
        if (write % 200 == 0) {
          boolean _ = store.compactionScheduler().runStep();
        }
      }
      store.compactionScheduler().compactAll();
      long live = 500 * (RunRecord.HEADER_BYTES + 4 + 300);
      long runs =
          disk.names().stream()
              .filter(name -> RunFile.NAMES.numberOf(name).isPresent())
              .mapToLong(disk::length)
              .sum();
      assertThat(runs).isLessThan(2 * live);
    }
  }

  @Test
  void dropsRemovalsWithoutOlderVersions() throws Exception {
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      SegmentStore store = idle.store();
      for (int key = 0; key < 500; key++) {
        put(store, 0, key, 1, 300);
      }
      store.compactionScheduler().compactAll();
      for (int key = 0; key < 500; key++) {
        StoredEntry entry = StoredEntry.of(hash(key), key(key), 1, 2, new byte[0]);
        store.remove(1, 0, entry, TIMEOUT_NANOS).await(TIMEOUT_NANOS);
      }
      store.compactionScheduler().compactAll();
      store.compactionScheduler().compactAll();
      assertThat(store.index().getOrCreateSegment(1, 0).table.usedCount()).isZero();
      assertThat(disk.names()).noneMatch(name -> RunFile.NAMES.numberOf(name).isPresent());
    }
  }

  @Test
  void namesEveryFlippedBitOfARun() throws Exception {
    fill();
    String run = fileWithSuffix(".run");
    Random random = new Random(3);
    for (long place = 0; place < disk.length(run); place += 1 + random.nextInt(7)) {
      int bit = random.nextInt(8);
      disk.flipBit(run, place, bit);
      long flipped = place;
      assertThatThrownBy(() -> verify(run))
          .as("offset %d", flipped)
          .isInstanceOfSatisfying(
              DamagedException.class,
              e -> {
                assertThat(e.damage().file()).isEqualTo(run);
                assertThat(e.damage().offset()).isLessThanOrEqualTo(flipped);
              });
      disk.flipBit(run, place, bit);
    }
    verify(run);
  }

  private void verify(String name) throws IOException {
    try (RunFile run = RunFile.open(disk, RunFile.NAMES.numberOf(name).orElseThrow(), 17)) {
      RunCursor cursor = new RunCursor(run);
      while (cursor.next()) {
        // Each record is verified as it is read.
      }
      for (RunRange range : run.ranges()) {
        run.verifyRange(range);
      }
    }
  }

  private static void scanLog(ThreadlessStore idle) throws IOException {
    idle.store().index().log().scan(0, RecordVisitor.NONE);
  }

  @Test
  void namesTheSegmentOfADamagedRecord() throws Exception {
    fill();
    long place;
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      place =
          RecordLocation.offset(
              idle.store()
                  .index()
                  .getOrCreateSegment(1, 2)
                  .table
                  .find(SlotTable.fingerprintOf(hash(2)))[0]);
    }
    String run = fileWithSuffix(".run");
    disk.flipBit(run, place + RunRecord.HEADER_BYTES + 20, 3);
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      SegmentStore store = idle.store();
      assertThatThrownBy(() -> store.get(1, 2, hash(2), key(2)))
          .isInstanceOf(DamagedException.class)
          .hasMessageContaining(run + " is damaged at offset " + place + ", segment 2 of cache 1");
      assertThatThrownBy(() -> store.scan(1, 2, StoreCursor.START, _ -> true))
          .isInstanceOf(DamagedException.class);
      assertThat(store.get(1, 1, hash(1), key(1))).isPresent();
      // A damaged run is not copied, and nothing else is lost because of it.
      for (int key = 4; key < 60; key++) {
        put(store, key % 4, key, 9, 100);
      }
      assertThatThrownBy(store.compactionScheduler()::compactAll)
          .isInstanceOf(DamagedException.class);
      assertThat(store.get(1, 1, hash(1), key(1))).isPresent();
      assertThat(store.get(1, 1, hash(5), key(5)))
          .hasValueSatisfying(entry -> assertThat(entry.index()).isEqualTo(9));
    }
  }

  @Test
  void ignoresADamagedSnapshot() throws Exception {
    fill();
    String snapshot = fileWithSuffix(".snap");
    Random random = new Random(3);
    long length = disk.length(snapshot);
    for (long place = 0; place < length; place += 1 + random.nextInt(9)) {
      int bit = random.nextInt(8);
      disk.flipBit(snapshot, place, bit);
      try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
        SegmentStore.OpenReport opened = idle.store().openReport();
        assertThat(opened.fromSnapshot()).as("offset %d", place).isFalse();
        assertThat(opened.snapshotProblem())
            .hasValueSatisfying(text -> assertThat(text).contains(".snap is damaged at offset"));
        assertThat(idle.store().segments().stream().mapToLong(size -> size.entryCount()).sum())
            .isEqualTo(60);
        scanLog(idle);
      }
      // Closing has written another snapshot.
      snapshot = fileWithSuffix(".snap");
      assertThat(disk.length(snapshot)).isEqualTo(length);
    }
  }

  @Test
  void namesTheSegmentOfADamagedLogRecord() throws Exception {
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      for (int key = 0; key < 60; key++) {
        put(idle.store(), key % 4, key, 1, 100);
      }
      String log = fileWithSuffix(".log");
      disk.flipBit(log, 3 * Disk.BLOCK_BYTES + 48 + 64 + 30, 2);
      assertThatThrownBy(() -> scanLog(idle))
          .isInstanceOfSatisfying(
              DamagedException.class,
              e -> {
                assertThat(e.damage().file()).isEqualTo(log);
                assertThat(e.damage().segment()).isPresent();
              });
    }
  }

  @Test
  void keepsReadingOnAFullDisk() throws Exception {
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      SegmentStore store = idle.store();
      put(store, 0, 1, 1, 100);
      disk.setCapacity(disk.usedBytes());
      idle.log().prepare();
      boolean _ = store.compactionScheduler().runStep();
      assertThatThrownBy(() -> put(store, 0, 2, 1, 100))
          .isInstanceOf(StoreException.Full.class)
          .hasMessageContaining("No space left");
      assertThat(store.get(1, 0, hash(1), key(1))).isPresent();
      disk.setCapacity(Long.MAX_VALUE);
      idle.log().prepare();
      boolean _ = store.compactionScheduler().runStep();
      put(store, 0, 2, 1, 100);
      assertThat(store.size(1, 0)).isEqualTo(2);
    }
  }

  @Test
  void failsWhenTheLogFails() throws Exception {
    ThreadlessStore idle = ThreadlessStore.open(disk, SMALL);
    SegmentStore store = idle.store();
    put(store, 0, 1, 1, 100);
    disk.failAt(1);
    assertThatThrownBy(() -> put(store, 0, 2, 1, 100)).isInstanceOf(StoreException.Failed.class);
    assertThat(store.failure()).isPresent();
    assertThatThrownBy(() -> store.get(1, 0, hash(1), key(1)))
        .isInstanceOf(StoreException.Failed.class)
        .hasMessageContaining("Input/output error");
    assertThatThrownBy(idle::close).isInstanceOf(StoreException.Failed.class);
    disk.kill();
    try (ThreadlessStore again = ThreadlessStore.open(disk, SMALL)) {
      assertThat(again.store().get(1, 0, hash(1), key(1))).isPresent();
    }
  }

  private void fill() throws Exception {
    try (ThreadlessStore idle = ThreadlessStore.open(disk, SMALL)) {
      for (int key = 0; key < 60; key++) {
        put(idle.store(), key % 4, key, 1, 100);
      }
      idle.store().compactionScheduler().compactAll();
    }
  }

  private String fileWithSuffix(String end) {
    return disk.names().stream().filter(name -> name.endsWith(end)).findAny().orElseThrow();
  }

  private static void put(SegmentStore store, int segment, int key, long version, int length)
      throws IOException, InterruptedException {
    byte[] value = new byte[length];
    new Random(key).nextBytes(value);
    StoredEntry entry = StoredEntry.of(hash(key), key(key), 1, version, value);
    store.put(1, segment, entry, TIMEOUT_NANOS).await(TIMEOUT_NANOS);
  }

  private static byte[] key(int key) {
    return new byte[] {(byte) (key >>> 24), (byte) (key >>> 16), (byte) (key >>> 8), (byte) key};
  }

  private static long hash(int key) {
    return key * 0x9E37_79B9_7F4A_7C15L;
  }

  /** Counts the bytes that are read. */
  private static final class CountingDisk extends DelegatingDisk {
    long read;

    CountingDisk(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile open(String name, FileAccess access) throws IOException {
      DiskFile file = super.open(name, access);
      return access == FileAccess.READ ? new Counted(file) : file;
    }

    private final class Counted extends DelegatingFile {
      Counted(DiskFile file) {
        super(file);
      }

      @Override
      public int read(ByteBuffer into, long place) throws IOException {
        int count = super.read(into, place);
        read += Math.max(0, count);
        return count;
      }
    }
  }
}
