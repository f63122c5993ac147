package io.cantle.bench.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WaitingLogTest {
  private static final int LONG_WAIT_MILLIS = 1_000_000;

  private final RecordedFile file = new RecordedFile();

  @Test
  void writesAtOnceWhenTheLimitIsReached() throws Exception {
    try (var log = new WaitingLog(file, 2, LONG_WAIT_MILLIS)) {
      Thread other = Thread.ofPlatform().start(() -> append(log, 1));
      append(log, 2);
      other.join();
      assertThat(file.batches()).containsExactly(2);
      assertThat(file.syncs()).isEqualTo(1);
    }
  }

  @Test
  void writesAloneWhenNobodyComes() throws Exception {
    try (var log = new WaitingLog(file, 2, 1)) {
      append(log, 1);
      assertThat(file.batches()).containsExactly(1);
    }
  }

  @Test
  void writesPendingRecordsOnClose() throws Exception {
    var log = new WaitingLog(file, 2, LONG_WAIT_MILLIS);
    Thread waiting = Thread.ofPlatform().start(() -> append(log, 1));
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    log.close();
    waiting.join();
    assertThat(file.isDurable(1)).isTrue();
    assertThat(file.isClosed()).isTrue();
  }

  private static void append(LogUnderTest log, long number) {
    try {
      log.append(RecordedFile.record(number));
    } catch (Exception thrown) {
      throw new AssertionError(thrown);
    }
  }
}
