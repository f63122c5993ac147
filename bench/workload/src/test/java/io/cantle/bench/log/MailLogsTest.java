package io.cantle.bench.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what holds for each of the five logs of the 2013 mail. */
@Timeout(60)
final class MailLogsTest {
  private static final int WRITERS = 6;
  private static final int EACH = 40;

  private final RecordedFile file = new RecordedFile();

  /** The five logs, with limits below, at and above the number of writers. */
  enum Kind {
    SIMPLE,
    WAITING_HALF,
    WAITING_EXACT,
    WAITING_DOUBLE,
    SPINNING,
    YIELDING,
    WAITING_FOR_WRITER;

    LogUnderTest on(LogFile file) {
      return switch (this) {
        case SIMPLE -> new SimpleLog(file);
        case WAITING_HALF -> new WaitingLog(file, WRITERS / 2, 1);
        case WAITING_EXACT -> new WaitingLog(file, WRITERS, 1);
        case WAITING_DOUBLE -> new WaitingLog(file, 2 * WRITERS, 1);
        case SPINNING -> new SingleWriterLog(file, SingleWriterLog.WaitStrategy.SPINNING, WRITERS);
        case YIELDING -> new SingleWriterLog(file, SingleWriterLog.WaitStrategy.YIELDING, WRITERS);
        case WAITING_FOR_WRITER ->
            new SingleWriterLog(file, SingleWriterLog.WaitStrategy.WAITING, 4);
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void makesEachRecordDurableBeforeItReturns(Kind kind) throws Exception {
    try (LogUnderTest log = kind.on(file)) {
      Queue<Throwable> failures =
          together(
              writer -> {
                for (long number : numbersOf(writer)) {
                  log.append(RecordedFile.record(number));
                  if (!file.isDurable(number)) {
                    throw new AssertionError(number + " is not durable");
                  }
                }
              });
      assertThat(failures).isEmpty();
      assertThat(log.syncs()).isPositive().isEqualTo(file.syncs());
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesEachRecordOnceAndThoseOfOneWriterInOrder(Kind kind) throws Exception {
    try (LogUnderTest log = kind.on(file)) {
      assertThat(together(writer -> append(log, writer))).isEmpty();
    }
    List<Long> all = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      List<Long> numbers = LongStream.of(numbersOf(writer)).boxed().toList();
      all.addAll(numbers);
      assertThat(file.written()).containsSubsequence(numbers);
    }
    assertThat(file.written()).containsExactlyInAnyOrderElementsOf(all);
    assertThat(file.syncs()).isEqualTo(file.batches().size());
  }

  @ParameterizedTest
  @EnumSource
  void failsEveryWriterWhenTheSyncFails(Kind kind) throws Exception {
    try (LogUnderTest log = kind.on(file)) {
      log.append(RecordedFile.record(-1));
      file.breakSyncs();
      Queue<Throwable> failures = together(writer -> append(log, writer));
      assertThat(failures)
          .hasSize(WRITERS)
          .allSatisfy(failure -> assertThat(failure).isInstanceOf(IOException.class));
      assertThat(file.isDurable(-1)).isTrue();
      assertThat(file.syncs()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesRecordsOnceClosedAndClosesItsFile(Kind kind) throws Exception {
    LogUnderTest log = kind.on(file);
    log.append(RecordedFile.record(1));
    log.close();
    assertThat(file.isClosed()).isTrue();
    assertThatThrownBy(() -> log.append(RecordedFile.record(2)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed");
    assertThat(file.written()).containsExactly(1L);
  }

  @ParameterizedTest
  @EnumSource
  void closesWithoutARecord(Kind kind) throws Exception {
    kind.on(file).close();
    assertThat(file.isClosed()).isTrue();
    assertThat(file.written()).isEmpty();
  }

  private static void append(LogUnderTest log, int writer)
      throws IOException, InterruptedException {
    for (long number : numbersOf(writer)) {
      log.append(RecordedFile.record(number));
    }
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
}
