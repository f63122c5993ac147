package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.SimulatedDisk;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that the log learns how many threads append together, without being told. */
class GroupCommitDelayTest {
  private int completedCount;

  @Test
  void returningWriterCountsOnce() throws Exception {
    assertThat(expectedAfterRoundsOf(1)).isEqualTo(1);
  }

  @Test
  void expectsAllReturningWriters() throws Exception {
    assertThat(expectedAfterRoundsOf(20)).isEqualTo(20);
  }

  @Test
  void forgetsFormerWriters() throws Exception {
    AppendLog log = open();
    rounds(log, 20, 3);
    rounds(log, 2, 60);
    assertThat(((SingleLogWriter) log.writer()).expectedAppends()).isLessThan(2.1);
  }

  private double expectedAfterRoundsOf(int writers) throws Exception {
    AppendLog log = open();
    rounds(log, writers, 10);
    return ((SingleLogWriter) log.writer()).expectedAppends();
  }

  private static AppendLog open() throws Exception {
    return AppendLog.openIdle(
        new SimulatedDisk(new Random(1)),
        LogOptions.DEFAULT.withFileBytes(1 << 20),
        17,
        new SteppedClock(),
        0,
        RecordVisitor.NONE);
  }

  /** Simulates so many writers, each of which appends again as soon as its append completes. */
  private void rounds(AppendLog log, int writers, int rounds) throws Exception {
    int[] left = {writers * (rounds - 1)};
    for (int writer = 0; writer < writers; writer++) {
      append(log, left);
    }
    while (completedCount < writers * rounds) {
      assertThat(log.writer().step()).isTrue();
    }
    completedCount = 0;
  }

  private void append(AppendLog log, int[] left) throws Exception {
    log.submit(
        LogCrashRun.record(0, 0, 100),
        0,
        _ -> {
          completedCount++;
          if (left[0]-- > 0) {
            appendAgain(log, left);
          }
        },
        _ -> {});
  }

  private void appendAgain(AppendLog log, int[] left) {
    try {
      append(log, left);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
