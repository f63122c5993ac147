package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who may wait without a timer. */
class WatchTest {
  private static final long LONG = Duration.ofSeconds(10).toNanos();
  private static final long SHORT = Duration.ofMillis(100).toNanos();
  private static final long QUICK_BATCH = Duration.ofMillis(1).toNanos();
  private static final long SLOW_BATCH = Duration.ofMillis(50).toNanos();

  private final TestClock clock = new TestClock();
  private final Handover handover = new Handover(1 << 20, clock);
  private final Watch watch = watch(SyncPolicy.GROUP);

  @AfterEach
  void close() {
    watch.close();
  }

  @Test
  void lastsWhileTheDiskIsQuick() throws Exception {
    assertThat(isWatched(watch, LONG)).isTrue();
    batch(SLOW_BATCH);
    assertThat(watch.isSlow()).isTrue();
    assertThat(isWatched(watch, LONG)).isFalse();
    batch(QUICK_BATCH);
    assertThat(watch.isSlow()).isFalse();
    assertThat(isWatched(watch, LONG)).isTrue();
  }

  @Test
  void isNotForShortWaitsNorPlatformThreads() throws Exception {
    assertThat(isWatched(watch, SHORT)).isFalse();
    assertThat(watch.isWatched(1, LONG)).isFalse();
  }

  @Test
  void countsWhatIsAheadInTheQueue() throws Exception {
    assertThat(isWatched(watch, Duration.ofMillis(400).toNanos())).isTrue();
    assertThat(handover.reserve(1 << 20, 0)).isTrue();
    assertThat(isWatched(watch, Duration.ofMillis(400).toNanos())).isFalse();
  }

  @Test
  void isNotWhereEachAppendIsABatch() throws Exception {
    Watch alone = watch(SyncPolicy.ALWAYS);
    assertThat(isWatched(alone, LONG)).isFalse();
  }

  private Watch watch(SyncPolicy policy) {
    return new Watch(
        handover,
        clock,
        LogOptions.of(policy).withFileBytes(1 << 16),
        Thread.ofPlatform().daemon().factory());
  }

  private void batch(long nanos) {
    watch.begin(null);
    watch.end(nanos);
  }

  private static boolean isWatched(Watch watch, long timeoutNanos) throws Exception {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Thread _ = Thread.startVirtualThread(() -> answer.complete(watch.isWatched(1, timeoutNanos)));
    return answer.get(20, TimeUnit.SECONDS);
  }
}
