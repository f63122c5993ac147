package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests which threads may wait without a timer. */
class WriterWatchdogTest {
  private static final long LONG_TIMEOUT_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long SHORT_TIMEOUT_NANOS = Duration.ofMillis(100).toNanos();
  private static final long FAST_BATCH_NANOS = Duration.ofMillis(1).toNanos();
  private static final long SLOW_BATCH_NANOS = Duration.ofMillis(50).toNanos();

  private final TestClock clock = new TestClock();
  private final AppendQueue queue = new AppendQueue(1 << 20, clock);
  private final WriterWatchdog watchdog = watch();

  @AfterEach
  void close() {
    watchdog.close();
  }

  @Test
  void untimedWaitIsAllowedWhileTheDiskIsFast() throws Exception {
    assertThat(isWatched(watchdog, LONG_TIMEOUT_NANOS)).isTrue();
    writeBatch(SLOW_BATCH_NANOS);
    assertThat(watchdog.isSlow()).isTrue();
    assertThat(isWatched(watchdog, LONG_TIMEOUT_NANOS)).isFalse();
    writeBatch(FAST_BATCH_NANOS);
    assertThat(watchdog.isSlow()).isFalse();
    assertThat(isWatched(watchdog, LONG_TIMEOUT_NANOS)).isTrue();
  }

  @Test
  void shortWaitsAndPlatformThreadsNeedTimers() throws Exception {
    assertThat(isWatched(watchdog, SHORT_TIMEOUT_NANOS)).isFalse();
    assertThat(watchdog.mayWaitUntimed(LONG_TIMEOUT_NANOS)).isFalse();
  }

  @Test
  void countsBytesAheadInTheQueue() throws Exception {
    assertThat(isWatched(watchdog, Duration.ofMillis(400).toNanos())).isTrue();
    assertThat(queue.reserve(1 << 20, 0)).isTrue();
    assertThat(isWatched(watchdog, Duration.ofMillis(400).toNanos())).isFalse();
  }

  private WriterWatchdog watch() {
    return new WriterWatchdog(queue, clock, 1 << 16, Thread.ofPlatform().daemon().factory());
  }

  private void writeBatch(long nanos) {
    watchdog.beginWrite(null);
    watchdog.endWrite(nanos);
  }

  private static boolean isWatched(WriterWatchdog watchdog, long timeoutNanos) throws Exception {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Thread _ =
        Thread.startVirtualThread(() -> answer.complete(watchdog.mayWaitUntimed(timeoutNanos)));
    return answer.get(20, TimeUnit.SECONDS);
  }
}
