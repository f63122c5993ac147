package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.FileDisk;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
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
        appends.add(threads.submit(() -> TestAppend.append(log, record, TIMEOUT_NANOS)));
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
      assertThatThrownBy(() -> TestAppend.append(log, huge, TIMEOUT_NANOS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("recordBytes");
    }
  }

  @Test
  void notifiesCompletionWithoutAWaitingThread() throws Exception {
    CompletableFuture<Long> told = new CompletableFuture<>();
    try (AppendLog log = open(RecordVisitor.NONE)) {
      log.submit(record(1), TIMEOUT_NANOS, told::complete, told::completeExceptionally);
      assertThat(log.read(told.get(20, TimeUnit.SECONDS)).key()).isEqualTo(key(1));
    }
  }

  @Test
  void refusesAppendsAfterClose() throws Exception {
    AppendLog log = open(RecordVisitor.NONE);
    long lsn = TestAppend.append(log, record(1), TIMEOUT_NANOS);
    log.close();
    log.close();

    assertThatThrownBy(() -> TestAppend.append(log, record(2), TIMEOUT_NANOS))
        .isInstanceOf(StoreException.AppendRefused.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> log.read(lsn)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void waitsTimeOutWhenTheDiskIsStuck() throws Exception {
    GatedDisk disk = new GatedDisk(new FileDisk(directory.resolve("log")));
    LogOptions options =
        new LogOptions(
            FILE_BYTES,
            FILE_BYTES,
            FILE_BYTES / 2 + 256,
            FILE_BYTES,
            4,
            LogOptions.DEFAULT.strategy(),
            true);
    AppendLog log = open(disk, options, RecordVisitor.NONE);
    long soon = Duration.ofMillis(20).toNanos();

    TestAppend stuck = TestAppend.submit(log, record(1), soon);
    disk.awaitBatch();
    LogRecord half = LogRecord.of((byte) 1, key(2), new byte[FILE_BYTES / 2]);
    TestAppend waiting = TestAppend.submit(log, half, soon);
    assertThatThrownBy(() -> TestAppend.submit(log, half, soon))
        .isInstanceOf(StoreException.AppendRefused.class)
        .hasMessageContaining("queueBytes is " + FILE_BYTES);
    assertThatThrownBy(() -> log.close(soon)).isInstanceOf(StoreException.TimedOut.class);
    assertThat(stuck.end()).isNotDone();
    assertThat(waiting.end()).isNotDone();

    disk.openGate();
    log.close();
    assertThat(waiting.lsn()).isGreaterThan(stuck.lsn());
    List<Long> recovered = new ArrayList<>();
    open(record -> recovered.add(record.lsn())).close();
    assertThat(recovered).hasSize(2);
  }

  @Test
  void reusesDroppedFiles() throws Exception {
    try (AppendLog log = open(RecordVisitor.NONE)) {
      for (int index = 0; index < 150; index++) {
        long _ = TestAppend.append(log, record(100), TIMEOUT_NANOS);
        while (log.fileIds().size() > 2) {
          log.dropFile(log.fileIds().getFirst());
        }
      }
      try (Stream<Path> files = Files.list(directory.resolve("log"))) {
        assertThat(files.count()).isLessThan(12);
      }
      assertThatThrownBy(() -> log.read(Lsn.toLsn(1, 4144)))
          .isInstanceOf(ClosedChannelException.class);
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
