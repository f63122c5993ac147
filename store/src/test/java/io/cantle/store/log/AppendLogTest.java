package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.FileDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the log on real files, with real threads. */
class AppendLogTest {
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(20).toNanos();
  private static final int FILE_BYTES = 1 << 16;

  @TempDir private Path directory = Path.of("");

  @Test
  void returnsRecordsOfManyWriters() throws Exception {
    List<Long> numbers = new ArrayList<>();
    try (AppendLog log = open(RecordVisitor.NONE);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> appends = new ArrayList<>();
      for (int index = 0; index < 300; index++) {
        LogRecord record = record(index);
        appends.add(threads.submit(() -> log.append(record, TIMEOUT_NANOS)));
      }
      for (Future<Long> append : appends) {
        numbers.add(append.get());
      }
      for (int index = 0; index < 300; index++) {
        assertThat(log.read(numbers.get(index)).key()).isEqualTo(key(index));
      }
      assertThat(scanRecords(log)).hasSize(300).isSorted();
    }
    List<Long> recovered = new ArrayList<>();
    try (AppendLog log = open(record -> recovered.add(record.lsn()))) {
      assertThat(recovered).isSorted().containsExactlyInAnyOrderElementsOf(numbers);
      for (int index = 0; index < 300; index++) {
        assertThat(log.read(numbers.get(index)).key()).isEqualTo(key(index));
      }
    }
  }

  private static List<Long> scanRecords(AppendLog log) throws IOException {
    List<Long> numbers = new ArrayList<>();
    log.scan(0, record -> numbers.add(record.lsn()));
    return numbers;
  }

  @Test
  void refusesTooLongRecord() throws Exception {
    try (AppendLog log = open(RecordVisitor.NONE)) {
      LogRecord huge = LogRecord.of((byte) 1, key(1), new byte[FILE_BYTES]);
      assertThatThrownBy(() -> log.append(huge, TIMEOUT_NANOS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("recordBytes");
    }
  }

  @Test
  void notifiesCompletionWithoutAWaitingThread() throws Exception {
    CompletableFuture<Long> told = new CompletableFuture<>();
    try (AppendLog log = open(RecordVisitor.NONE)) {
      PendingAppend append =
          log.submit(record(1), TIMEOUT_NANOS, done -> told.complete(done.lsn()));
      assertThat(told.get(20, TimeUnit.SECONDS)).isEqualTo(append.lsn());
    }
  }

  @Test
  void refusesAppendsAfterClose() throws Exception {
    AppendLog log = open(RecordVisitor.NONE);
    long lsn = log.append(record(1), TIMEOUT_NANOS);
    log.close();
    log.close();

    assertThatThrownBy(() -> log.append(record(2), TIMEOUT_NANOS))
        .isInstanceOf(StoreException.AppendRefused.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> log.read(lsn)).isInstanceOf(StoreException.AppendRefused.class);
  }

  @Test
  void waitsTimeOutWhenTheDiskIsStuck() throws Exception {
    GatedDisk disk = new GatedDisk(new FileDisk(directory.resolve("log")));
    LogOptions options =
        new LogOptions(FILE_BYTES, FILE_BYTES, FILE_BYTES / 2 + 256, FILE_BYTES, 4);
    AppendLog log = open(disk, options, RecordVisitor.NONE);
    long soon = Duration.ofMillis(20).toNanos();

    assertThatThrownBy(() -> log.append(record(1), soon))
        .isInstanceOf(StoreException.TimedOut.class);
    disk.awaitBatch();
    LogRecord half = LogRecord.of((byte) 1, key(2), new byte[FILE_BYTES / 2]);
    PendingAppend waiting = log.submit(half, soon, _ -> {});
    assertThatThrownBy(() -> log.append(half, soon))
        .isInstanceOf(StoreException.AppendRefused.class)
        .hasMessageContaining("queueBytes is " + FILE_BYTES);
    assertThatThrownBy(() -> log.close(soon)).isInstanceOf(StoreException.TimedOut.class);
    assertThat(waiting.isDone()).isFalse();

    disk.openGate();
    log.close();
    assertThat(waiting.lsn()).isPositive();
    List<Long> recovered = new ArrayList<>();
    open(record -> recovered.add(record.lsn())).close();
    assertThat(recovered).hasSize(2);
  }

  @Test
  void untimedWaitsTimeOutWhenTheDiskIsStuck() throws Exception {
    GatedDisk disk = new GatedDisk(new FileDisk(directory.resolve("log")));
    AppendLog log = open(disk, LogOptions.DEFAULT.withFileBytes(FILE_BYTES), RecordVisitor.NONE);
    long within = Duration.ofMillis(600).toNanos();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Long> written = threads.submit(() -> log.append(record(1), within));
      disk.awaitBatch();
      List<Future<Long>> late = new ArrayList<>(List.of(written));
      for (int index = 2; index < 20; index++) {
        LogRecord record = record(index);
        late.add(threads.submit(() -> log.append(record, within)));
      }
      try {
        for (Future<Long> append : late) {
          assertThatThrownBy(() -> append.get(20, TimeUnit.SECONDS))
              .hasCauseInstanceOf(StoreException.TimedOut.class);
        }
      } finally {
        disk.openGate();
      }
    }
    log.close();
  }

  @Test
  void reusesDroppedFiles() throws Exception {
    try (AppendLog log = open(RecordVisitor.NONE)) {
      for (int index = 0; index < 150; index++) {
        long _ = log.append(record(100), TIMEOUT_NANOS);
        while (log.fileIds().size() > 2) {
          log.dropFile(log.fileIds().getFirst());
        }
      }
      try (Stream<Path> files = Files.list(directory.resolve("log"))) {
        assertThat(files.count()).isLessThan(12);
      }
      assertThatThrownBy(() -> log.read(Lsn.toLsn(1, 4144)))
          .isInstanceOf(StoreException.AppendRefused.class);
      assertThatThrownBy(() -> log.dropFile(log.fileIds().getLast()))
          .isInstanceOf(IllegalArgumentException.class);
    }
    AtomicLong first = new AtomicLong(Long.MAX_VALUE);
    try (AppendLog log = open(record -> first.accumulateAndGet(record.lsn(), Math::min))) {
      assertThat(Lsn.fileId(first.get())).isEqualTo(log.fileIds().getFirst());
    }
  }

  private AppendLog open(RecordVisitor visitor) throws IOException {
    return open(
        new FileDisk(directory.resolve("log")),
        LogOptions.DEFAULT.withFileBytes(FILE_BYTES),
        visitor);
  }

  private static AppendLog open(Disk disk, LogOptions options, RecordVisitor visitor)
      throws IOException {
    return AppendLog.open(
        disk, options, 17, new TestClock(), Thread.ofPlatform().daemon().factory(), 0, visitor);
  }

  private static LogRecord record(int index) {
    return LogRecord.of((byte) 1, key(index), new byte[index * 7]);
  }

  private static byte[] key(int index) {
    return Integer.toString(index).getBytes(StandardCharsets.UTF_8);
  }
}
