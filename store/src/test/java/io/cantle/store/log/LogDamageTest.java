package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests damage by the disk, and that it is distinguished from a torn end. */
class LogDamageTest {
  private static final LogOptions OPTIONS = LogOptions.DEFAULT.withFileBytes(32 << 10);
  private static final int APPEND_COUNT = 40;

  private final List<TestAppend> appended = new ArrayList<>();

  @Test
  void namesTheOffsetOfEachFlippedBit() throws Exception {
    Random random = new Random(1);
    for (int run = 0; run < 400; run++) {
      SimulatedDisk disk = written(run, true);
      TestAppend victim = appended.get(random.nextInt(APPEND_COUNT));
      long offset = Lsn.offset(victim.lsn());
      String name = LogFileNames.fileName(Lsn.fileId(victim.lsn()));
      long flipped =
          offset + random.nextInt(LogRecord.HEADER_BYTES + victim.record().value().length);
      disk.flipBit(name, flipped, random.nextInt(8));

      assertThatThrownBy(() -> open(disk))
          .isInstanceOfSatisfying(
              DamagedException.class,
              e -> {
                assertThat(e.damage().file()).isEqualTo(name);
                assertThat(e.damage().offset()).isEqualTo(offset);
              });
    }
  }

  @Test
  void namesTheSegmentOfADamagedRecord() throws Exception {
    SimulatedDisk disk = written(3, true);
    long lsn = appended.get(7).lsn();
    disk.flipBit(
        LogFileNames.fileName(Lsn.fileId(lsn)), Lsn.offset(lsn) + LogRecord.HEADER_BYTES, 0);

    assertThatThrownBy(() -> open(disk)).hasMessageContaining("segment 7 of cache 3");
  }

  @Test
  void truncatesTornLastBatchOfAnUnclosedLog() throws Exception {
    SimulatedDisk disk = written(5, false);
    long last = appended.getLast().lsn();
    disk.flipBit(LogFileNames.fileName(Lsn.fileId(last)), Lsn.offset(last) + 3, 0);

    assertThat(open(disk)).hasSize(APPEND_COUNT - 1);
    assertThat(open(disk)).hasSize(APPEND_COUNT - 1);
  }

  @Test
  void detectsEveryLostWrite() throws Exception {
    int damaged = 0;
    for (int run = 0; run < 400; run++) {
      SimulatedDisk disk = new SimulatedDisk(new Random(run));
      if (run % 2 == 0) {
        disk.loseWriteAt(10 + run / 8);
      } else {
        disk.misdirectWriteAt(10 + run / 8);
      }
      try {
        write(disk, true);
        disk.kill();
        assertThat(open(disk)).as("run %d", run).hasSize(APPEND_COUNT);
      } catch (DamagedException _) {
        damaged++;
      }
    }
    assertThat(damaged).isGreaterThan(200);
  }

  @Test
  void detectsEveryMissingFile() throws Exception {
    SimulatedDisk disk = written(9, true);
    disk.delete(LogFileNames.fileName(2));

    assertThatThrownBy(() -> open(disk))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining(LogFileNames.fileName(2))
        .hasMessageContaining("missing");
  }

  @Test
  void refusesFilesOfAnotherLog() throws Exception {
    SimulatedDisk disk = written(9, true);
    disk.rename(LogFileNames.fileName(1), LogFileNames.fileName(2));
    assertThatThrownBy(() -> open(disk)).isInstanceOf(DamagedException.class);
  }

  @Test
  void failsPermanentlyAfterTheFirstFailure() throws Exception {
    for (int call = 0; call < 2; call++) {
      SimulatedDisk disk = new SimulatedDisk(new Random(1)).takeDurableWrites(false);
      AppendLog log =
          AppendLog.openIdle(disk, OPTIONS, 17, new SteppedClock(), 0, RecordVisitor.NONE);
      TestAppend first = append(log, 0);
      assertThat(log.writer().step()).isTrue();
      disk.failAt(1 + call);
      AtomicReference<Throwable> told = new AtomicReference<>();
      log.submit(LogCrashRun.record(1, 0, 97), 0, _ -> {}, told::set);

      assertThat(log.writer().step()).isFalse();

      assertThat(first.lsn()).isPositive();
      assertThat(log.failure()).get().asString().contains("Input/output error");
      assertThat(told.get()).hasMessageContaining("Input/output error");
      assertThatThrownBy(() -> append(log, 2)).isInstanceOf(StoreException.Failed.class);
      assertThatThrownBy(() -> log.close()).isInstanceOf(StoreException.Failed.class);
    }
  }

  @Test
  void takesAppendsOnAFullDiskUntilTheFileIsFull() throws Exception {
    SimulatedDisk disk = new SimulatedDisk(new Random(1)).setCapacity(40 << 10);
    AppendLog log =
        AppendLog.openIdle(disk, OPTIONS, 17, new SteppedClock(), 0, RecordVisitor.NONE);
    log.logFiles().prepareIfMissing();
    assertThat(log.shortage()).get().asString().contains("No space left");
    assertThat(disk.names()).noneMatch(LogFileNames::isUnfinished);
    int acknowledged = 0;
    do {
      appended.add(append(log, acknowledged++));
    } while (log.writer().step());

    assertThat(acknowledged).isGreaterThan(3);
    assertThat(log.failure()).get().asString().contains("No space left");
    disk.cutPower();
    SimulatedDisk larger = disk.setCapacity(1 << 20);
    assertThat(open(larger)).hasSize(acknowledged - 1);
  }

  @Test
  void continuesOnceThereIsRoom() throws Exception {
    SimulatedDisk disk = new SimulatedDisk(new Random(1)).setCapacity(40 << 10);
    AppendLog log =
        AppendLog.openIdle(disk, OPTIONS, 17, new SteppedClock(), 0, RecordVisitor.NONE);
    log.logFiles().prepareIfMissing();
    SimulatedDisk _ = disk.setCapacity(80 << 10);
    log.logFiles().prepareIfMissing();

    assertThat(log.shortage()).isEmpty();
    for (int index = 0; index < 12; index++) {
      TestAppend append = append(log, index);
      assertThat(log.writer().step()).isTrue();
      while (!append.end().isDone()) {
        assertThat(log.writer().step()).isTrue();
      }
    }
    assertThat(log.fileIds()).hasSize(2);
  }

  private SimulatedDisk written(long seed, boolean close) throws Exception {
    SimulatedDisk disk = new SimulatedDisk(new Random(seed));
    write(disk, close);
    disk.cutPower();
    return disk;
  }

  private void write(SimulatedDisk disk, boolean close) throws Exception {
    appended.clear();
    AppendLog log =
        AppendLog.openIdle(disk, OPTIONS, 17, new SteppedClock(), 0, RecordVisitor.NONE);
    for (int index = 0; index < APPEND_COUNT; index++) {
      TestAppend append = append(log, index);
      appended.add(append);
      while (!append.end().isDone()) {
        assertThat(log.writer().step()).as("%s", log.failure()).isTrue();
      }
    }
    if (close) {
      boolean _ = log.writer().close(0);
      while (log.writer().step()) {
        // The last steps.
      }
      assertThat(log.failure()).isEmpty();
    }
  }

  private static TestAppend append(AppendLog log, int number) throws Exception {
    return TestAppend.submit(log, LogCrashRun.record(number, 0, number * 97 % 3000), 0);
  }

  private static List<Long> open(Disk disk) throws IOException {
    List<Long> numbers = new ArrayList<>();
    AppendLog _ =
        AppendLog.openIdle(
            disk, OPTIONS, 17, new SteppedClock(), 0, record -> numbers.add(record.epoch()));
    for (int index = 0; index < numbers.size(); index++) {
      assertThat(numbers.get(index)).isEqualTo(index);
    }
    return numbers;
  }
}
