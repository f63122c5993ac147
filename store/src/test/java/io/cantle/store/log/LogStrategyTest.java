package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.DamagedException;
import io.cantle.store.FileDamage;
import io.cantle.store.StoreException;
import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests what holds for each strategy, on real files and with real threads. */
@Timeout(60)
final class LogStrategyTest {
  private static final int WRITERS = 6;
  private static final int EACH = 40;
  private static final int FILE_BYTES = 1 << 16;
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(20).toNanos();

  @TempDir private Path directory = Path.of("");

  static List<LogOptions> settings() {
    return LogSettings.all();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void keepsEachRecordOnceAndThoseOfOneWriterInOrder(LogOptions options) throws Exception {
    List<Long> found = new ArrayList<>();
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      assertThat(together(writer -> append(log, writer))).isEmpty();
      log.scan(0, record -> found.add(number(record)));
      if (options.flushing()) {
        assertThat(log.syncCount()).isPositive();
      }
    }
    List<Long> recovered = new ArrayList<>();
    open(fileDisk(), options, record -> recovered.add(number(record))).close();
    assertThat(recovered).isEqualTo(found).hasSize(WRITERS * EACH).doesNotHaveDuplicates();
    for (int writer = 0; writer < WRITERS; writer++) {
      assertThat(recovered).containsSubsequence(LongStream.of(numbersOf(writer)).boxed().toList());
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aLogOfOneStrategyIsOpenedWithAnother(LogOptions options) throws Exception {
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      append(log, 1);
    }
    List<Long> recovered = new ArrayList<>();
    open(fileDisk(), LogOptions.DEFAULT, record -> recovered.add(number(record))).close();
    assertThat(recovered).hasSize(EACH).isSorted();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void answersOnlyWhenTheRecordIsWritten(LogOptions options) throws Exception {
    GatedDisk disk = new GatedDisk(fileDisk());
    AppendLog log = open(disk, options, RecordVisitor.NONE);
    Queue<Long> done = new ConcurrentLinkedQueue<>();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    done.add(log.append(record(1), TIMEOUT_NANOS));
                  } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                  }
                });
    disk.awaitBatch();
    assertThat(done).isEmpty();
    disk.openGate();
    writer.join();
    assertThat(done).hasSize(1);
    log.close();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void failsEveryWriterWhenTheDiskFails(LogOptions options) throws Exception {
    BreakingDisk disk = new BreakingDisk(fileDisk());
    AppendLog log = open(disk, options, RecordVisitor.NONE);
    long _ = log.append(record(-1), TIMEOUT_NANOS);
    long _ = log.sync(TIMEOUT_NANOS);
    disk.broken = true;
    assertThat(together(writer -> append(log, writer)))
        .hasSize(WRITERS)
        .allSatisfy(failure -> assertThat(failure).isInstanceOf(StoreException.Failed.class))
        .allSatisfy(failure -> assertThat(failure).hasMessageContaining("the disk is broken"));
    disk.broken = false;
    assertThatThrownBy(() -> log.append(record(1), TIMEOUT_NANOS))
        .isInstanceOf(StoreException.Failed.class);
    assertThatThrownBy(() -> log.sync(TIMEOUT_NANOS)).isInstanceOf(StoreException.Failed.class);
    assertThatThrownBy(log::close).isInstanceOf(StoreException.Failed.class);
    List<Long> recovered = new ArrayList<>();
    open(fileDisk(), options, record -> recovered.add(number(record))).close();
    assertThat(recovered).containsExactly(-1L);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void refusesRecordsOnceClosed(LogOptions options) throws Exception {
    AppendLog log = open(fileDisk(), options, RecordVisitor.NONE);
    long _ = log.append(record(1), TIMEOUT_NANOS);
    log.close();
    log.close();
    assertThatThrownBy(() -> log.append(record(2), TIMEOUT_NANOS))
        .isInstanceOf(StoreException.AppendRefused.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> log.sync(TIMEOUT_NANOS))
        .isInstanceOf(StoreException.AppendRefused.class);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void tellsCallbacksOfEachRecord(LogOptions options) throws Exception {
    Queue<Long> told = new ConcurrentLinkedQueue<>();
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      for (int index = 0; index < EACH; index++) {
        log.submit(record(index), TIMEOUT_NANOS, told::add, _ -> {});
      }
      long end = log.sync(TIMEOUT_NANOS);
      assertThat(List.copyOf(told))
          .hasSize(EACH)
          .isSorted()
          .allSatisfy(lsn -> assertThat(lsn).isLessThan(end));
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void refusesAndReportsDamage(LogOptions options) throws Exception {
    long lsn;
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      lsn = log.append(record(1), TIMEOUT_NANOS);
      append(log, 2);
    }
    Path file = directory.resolve(Lsn.fileName(lsn));
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) Lsn.offset(lsn) + LogRecord.HEADER_BYTES + 3] ^= 4;
    Files.write(file, bytes);
    assertThatThrownBy(() -> open(fileDisk(), options, RecordVisitor.NONE))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining(Lsn.fileName(lsn));
    List<FileDamage> damages = new ArrayList<>();
    LogVerifier _ = LogVerifier.verify(fileDisk(), RecordVisitor.NONE, damages::add);
    assertThat(damages).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void namesTheLimitOfARecordThatIsTooLong(LogOptions options) throws Exception {
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      LogRecord huge = LogRecord.of((byte) 1, new byte[0], new byte[FILE_BYTES]);
      assertThatThrownBy(() -> log.append(huge, TIMEOUT_NANOS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("recordBytes");
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aWaitEndsWithItsTimeout(LogOptions options) throws Exception {
    GatedDisk disk = new GatedDisk(fileDisk());
    AppendLog log = open(disk, options, RecordVisitor.NONE);
    Thread first = Thread.ofPlatform().start(() -> appendQuietly(log));
    disk.awaitBatch();
    Queue<Throwable> second = new ConcurrentLinkedQueue<>();
    if (options.strategy() instanceof LogStrategy.Waiting) {
      // A caller whose delay is over writes itself, and so waits for the disk.
      disk.openGate();
    }
    try {
      long _ = log.append(record(2), Duration.ofMillis(20).toNanos());
    } catch (StoreException.TimedOut | StoreException.AppendRefused e) {
      second.add(e);
    }
    assertThat(second).hasSize(options.strategy() instanceof LogStrategy.Waiting ? 0 : 1);
    disk.openGate();
    first.join();
    log.close();
  }

  @Test
  void aWaitingCallerWritesAtOnceWhenTheLimitIsReached() throws Exception {
    LogOptions options =
        LogOptions.DEFAULT.withStrategy(new LogStrategy.Waiting(2, Duration.ofSeconds(10)));
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      Thread other = Thread.ofPlatform().start(() -> appendQuietly(log));
      long _ = log.append(record(2), TIMEOUT_NANOS);
      other.join();
      assertThat(log.syncCount()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void isNotEndedByACallerThatWasInterruptedBefore(LogOptions options) throws Exception {
    AppendLog log = open(fileDisk(), options, RecordVisitor.NONE);
    try {
      Thread.currentThread().interrupt();
      long _ = log.append(record(1), TIMEOUT_NANOS);
    } catch (InterruptedException _) {
      // Some strategies notice it before they are done.
    }
    Thread.currentThread().interrupt();
    log.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(log.failure()).isEmpty();
  }

  @Test
  void anInterruptedCallerLeavesItsRecordToNobody() throws Exception {
    LogOptions options =
        LogOptions.DEFAULT.withStrategy(new LogStrategy.Waiting(2, Duration.ofSeconds(10)));
    try (AppendLog log = open(fileDisk(), options, RecordVisitor.NONE)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> log.append(record(1), TIMEOUT_NANOS))
          .isInstanceOf(InterruptedException.class);
      assertThat(log.failure()).isEmpty();
      assertThat(log.syncCount()).isEqualTo(1);
    }
  }

  @Test
  void namesAWrongLimitOrDelay() {
    assertThatThrownBy(() -> new LogStrategy.Waiting(0, Duration.ZERO))
        .hasMessageContaining("limit 0 is not within 1..1000000");
    assertThatThrownBy(() -> new LogStrategy.Waiting(1, Duration.ofSeconds(11)))
        .hasMessageContaining("delay PT11S is not within 0..10000 ms");
  }

  private Disk fileDisk() {
    return new FileDisk(directory);
  }

  private static AppendLog open(Disk disk, LogOptions options, RecordVisitor visitor)
      throws IOException {
    return AppendLog.open(
        disk,
        options.withFileBytes(FILE_BYTES),
        17,
        new TestClock(),
        Thread.ofPlatform().daemon().factory(),
        0,
        visitor);
  }

  private static void append(AppendLog log, int writer) throws Exception {
    for (long number : numbersOf(writer)) {
      long _ = log.append(record(number), TIMEOUT_NANOS);
    }
  }

  private static void appendQuietly(AppendLog log) {
    try {
      long _ = log.append(record(1), TIMEOUT_NANOS);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static LogRecord record(long number) {
    return LogRecord.of(
        (byte) 1, new byte[0], ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  private static long number(RecordView record) {
    return ByteBuffer.wrap(record.value()).getLong();
  }

  private static long[] numbersOf(int writer) {
    return LongStream.range(0, EACH).map(count -> writer * 1_000L + count).toArray();
  }

  private interface Work {
    void of(int writer) throws Exception;
  }

  /** Runs the work on a thread for each writer at once; returns what was thrown. */
  private static Queue<Throwable> together(Work work) throws InterruptedException {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    var begin = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int index = 0; index < WRITERS; index++) {
      int writer = index;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      begin.await();
                      work.of(writer);
                    } catch (Exception | AssertionError thrown) {
                      failures.add(thrown);
                    }
                  }));
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    return failures;
  }

  /** A disk that fails to write batches while it is broken. */
  private static final class BreakingDisk extends DelegatingDisk {
    private volatile boolean broken;

    BreakingDisk(Disk disk) {
      super(disk);
    }

    @Override
    protected DiskFile wrap(DiskFile file) {
      return new BreakingFile(file);
    }

    private final class BreakingFile extends DelegatingFile {
      BreakingFile(DiskFile file) {
        super(file);
      }

      @Override
      public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
        if (broken && syncPoint == SyncPoint.BATCH) {
          throw new IOException("the disk is broken");
        }
        return super.write(from, place, syncPoint);
      }
    }
  }
}
