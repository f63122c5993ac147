package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.SimulatedDisk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.RecordVisitor;
import io.cantle.store.log.SteppedClock;
import io.cantle.store.log.ThreadlessLog;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests what the verifier reports of a store that is not open. */
class StoreVerifierTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(LogOptions.DEFAULT.withFileBytes(32 << 10));

  private final List<FileDamage> damages = new ArrayList<>();

  @Test
  void findsNoDamageInAClosedStore() throws Exception {
    SimulatedDisk disk = written(true, true);
    int calls = disk.calls();
    StoreVerifier check = StoreVerifier.inspect(disk, damages::add, 10);

    assertThat(disk.calls()).as("calls that change something").isEqualTo(calls);
    assertThat(damages).isEmpty();
    assertThat(check.damageCount()).isZero();
    assertThat(check.isClosed()).isTrue();
    assertThat(check.files())
        .extracting(StoreVerifier.StoredFile::role)
        .contains("log", "run", "snapshot of the index", "which files were dropped");
    assertThat(check.segments())
        .extracting(StoreVerifier.SegmentSummary::segment)
        .containsExactly(0, 1, 2, 3, 300);
    StoreVerifier.SegmentSummary dropped = check.segments().get(3);
    assertThat(dropped.keys()).isZero();
    assertThat(dropped.incarnation()).isEqualTo(2);
  }

  @Test
  void countsKeysAndBytesAsTheStoreDoes() throws Exception {
    SimulatedDisk disk = written(true, false);
    StoreVerifier check = StoreVerifier.inspect(disk, damages::add, 10);
    try (ThreadlessStore idle = ThreadlessStore.open(disk, OPTIONS)) {
      for (StoreVerifier.SegmentSummary segment : check.segments()) {
        assertThat(segment.keys()).isEqualTo(idle.store().size(segment.cache(), segment.segment()));
      }
    }
    assertThat(check.segments()).anyMatch(segment -> segment.deadBytes() > 0);
  }

  @Test
  void inspectsALogWithoutAStore() throws Exception {
    SimulatedDisk disk = new SimulatedDisk(new Random(5));
    ThreadlessLog idle =
        ThreadlessLog.open(disk, OPTIONS.log(), 17, new SteppedClock(), 0, RecordVisitor.NONE);
    LogRecord record = LogRecord.of(StoreRecordCodec.PUT, new byte[0], new byte[100]);
    List<Long> places = new ArrayList<>();
    idle.log().submit(record, ThreadlessStore.TIMEOUT_NANOS, places::add, damaged -> {});
    assertThat(idle.writeOnce()).isTrue();
    assertThat(places).hasSize(1);
    StoreVerifier check = StoreVerifier.inspect(disk, damages::add, 10);
    assertThat(damages).isEmpty();
    assertThat(check.segments()).singleElement().matches(segment -> segment.deadBytes() > 100);
  }

  @Test
  void tornEndIsNoDamage() throws Exception {
    SimulatedDisk disk = written(false, false);
    StoreVerifier before = StoreVerifier.verify(disk, damages::add);
    String[] end = before.describeLogEnd().split(":", 2);
    // The last frame is the block before the end.
    disk.flipBit(end[0], Long.parseLong(end[1]) - Disk.BLOCK_BYTES + 3, 2);
    StoreVerifier check = StoreVerifier.verify(disk, damages::add);

    assertThat(damages).isEmpty();
    assertThat(check.isClosed()).isFalse();
    assertThat(check.recordCount()).isLessThan(before.recordCount());
  }

  @Test
  void namesEveryFlippedBitOfSampledRecords() throws Exception {
    SimulatedDisk disk = written(true, true);
    List<StoreVerifier.RecordExtent> extents =
        StoreVerifier.inspect(disk, damages::add, 6).sampledRecords();
    assertThat(extents)
        .extracting(StoreVerifier.RecordExtent::file)
        .anyMatch(name -> name.endsWith(".run"));
    assertThat(extents)
        .extracting(StoreVerifier.RecordExtent::file)
        .anyMatch(name -> name.endsWith(".log"));
    for (StoreVerifier.RecordExtent extent : extents) {
      for (long bit = 0; bit < extent.length() * 8; bit += bit < 600 ? 1 : 7) {
        flipBit(disk, extent, bit);
      }
    }
  }

  private void flipBit(SimulatedDisk disk, StoreVerifier.RecordExtent extent, long bit)
      throws Exception {
    damages.clear();
    disk.flipBit(extent.file(), extent.offset() + bit / 8, (int) (bit % 8));
    StoreVerifier check = StoreVerifier.verify(disk, damages::add);
    disk.flipBit(extent.file(), extent.offset() + bit / 8, (int) (bit % 8));
    // No checksum covers the padding of a log record, and nothing uses it.
    if (check.damageCount() == 0 && extent.file().endsWith(".log")) {
      assertThat(bit / 8).as("%s", extent).isGreaterThanOrEqualTo(extent.length() - 7);
      return;
    }
    assertThat(damages).as("bit %d of %s", bit, extent).isNotEmpty();
    FileDamage first = damages.getFirst();
    assertThat(first.file()).isEqualTo(extent.file());
    assertThat(first.cache()).isEqualTo(OptionalInt.of(extent.cache()));
    assertThat(first.segment()).isEqualTo(OptionalInt.of(extent.segment()));
    assertThat(first.isCertain()).isTrue();
    if (!first.description().contains("between")) {
      assertThat(first.offset()).isEqualTo(extent.offset());
    }
    assertThat(damages).as("bit %d of %s", bit, extent).hasSize(1);
  }

  @Test
  void continuesAfterDamageAndMarksUncertainSegments() throws Exception {
    SimulatedDisk disk = written(false, true);
    List<StoreVerifier.RecordExtent> extents =
        StoreVerifier.inspect(disk, damages::add, 8).sampledRecords();
    StoreVerifier.RecordExtent head = extents.get(1);
    disk.flipBit(head.file(), head.offset() + 30, 1);
    disk.flipBit(head.file(), head.offset() + 41, 1);
    disk.flipBit(extents.get(4).file(), extents.get(4).offset() + 64, 1);
    // The frame of a single record begins 48 bytes before the record.
    disk.flipBit(extents.get(6).file(), extents.get(6).offset() - 48 + 33, 1);
    StoreVerifier check = StoreVerifier.verify(disk, damages::add);

    assertThat(check.damageCount()).isEqualTo(3);
    assertThat(damages.get(0).isCertain()).isFalse();
    assertThat(damages.get(0).segment()).hasValue(head.segment());
    assertThat(damages.get(1).isCertain()).isTrue();
    assertThat(damages.get(1).segment()).hasValue(extents.get(4).segment());
    assertThat(damages.get(2).offset()).isEqualTo(extents.get(6).offset() - 48);
    assertThat(damages.get(2).segment()).hasValue(extents.get(6).segment());
    assertThat(damages.get(2).describe()).contains("segment " + extents.get(6).segment());
  }

  @Test
  void detectsEveryMissingFile() throws Exception {
    for (String suffix : List.of(".log", ".run", "catalog")) {
      SimulatedDisk disk = written(true, true);
      damages.clear();
      StoreVerifier check = StoreVerifier.verify(disk, damages::add);
      String victim =
          check.files().stream()
              .filter(file -> file.name().endsWith(suffix))
              .filter(file -> !file.role().startsWith("prepared"))
              .filter(file -> !file.role().startsWith("spare"))
              .findFirst()
              .orElseThrow()
              .name();
      disk.delete(victim);
      StoreVerifier without = StoreVerifier.verify(disk, damages::add);

      assertThat(without.damageCount()).as("%s", victim).isPositive();
      assertThat(damages).anyMatch(damage -> damage.file().equals(victim));
    }
  }

  @Test
  void namesTheDamagedSegmentOfASnapshot() throws Exception {
    SimulatedDisk disk = written(true, true);
    String snapshot =
        disk.names().stream().filter(name -> name.endsWith(".snap")).findFirst().orElseThrow();
    disk.flipBit(snapshot, disk.length(snapshot) - 3, 0);
    StoreVerifier check = StoreVerifier.verify(disk, damages::add);

    assertThat(check.damageCount()).isOne();
    assertThat(damages.getFirst().segment()).hasValue(300);
  }

  /**
   * Makes some writes by one caller, one a frame, in two halves; the first half may be in a run.
   */
  private static SimulatedDisk written(boolean compact, boolean close) throws Exception {
    SimulatedDisk disk = new SimulatedDisk(new Random(5));
    ThreadlessStore idle = ThreadlessStore.open(disk, OPTIONS);
    SegmentStore store = idle.store();
    for (int version = 1; version <= 60; version++) {
      StoredEntry entry = ModelEntryCodec.entry(version % 17, version);
      int segment = version % 5 == 4 ? 300 : version % 5;
      store
          .put(2, segment, entry, ThreadlessStore.TIMEOUT_NANOS)
          .await(ThreadlessStore.TIMEOUT_NANOS);
      if (version == 30) {
        store.drop(2, 3, ThreadlessStore.TIMEOUT_NANOS).await(ThreadlessStore.TIMEOUT_NANOS);
        if (compact) {
          store.compactionScheduler().compactAll();
        }
      }
      if (version % 11 == 0) {
        store
            .remove(
                2,
                segment,
                ModelEntryCodec.tombstone(version % 17, version + 1),
                ThreadlessStore.TIMEOUT_NANOS)
            .await(ThreadlessStore.TIMEOUT_NANOS);
      }
    }
    store.drop(2, 3, ThreadlessStore.TIMEOUT_NANOS).await(ThreadlessStore.TIMEOUT_NANOS);
    if (close) {
      idle.close();
    } else {
      disk.kill();
    }
    return disk;
  }
}
