package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many the log expects to append together, without being told. */
class GatherTest {
  private final Queue<Append> ended = new ArrayDeque<>();

  @Test
  void doesNotTakeOneThatComesBackAtOnceForTwo() throws Exception {
    assertThat(expectedAfterRoundsOf(1)).isEqualTo(1);
  }

  @Test
  void expectsAllThatComeBack() throws Exception {
    assertThat(expectedAfterRoundsOf(20)).isEqualTo(20);
  }

  @Test
  void forgetsThoseThatDoNotComeAnyMore() throws Exception {
    AppendLog log = open();
    rounds(log, 20, 3);
    rounds(log, 2, 60);
    assertThat(log.writer().gather().expected()).isLessThan(2.1);
  }

  private double expectedAfterRoundsOf(int writers) throws Exception {
    AppendLog log = open();
    rounds(log, writers, 10);
    return log.writer().gather().expected();
  }

  private static AppendLog open() throws Exception {
    return AppendLog.openIdle(
        new SimulatedDisk(new Random(1)),
        LogOptions.of(SyncPolicy.GROUP).withFileBytes(1 << 20),
        17,
        new SteppedClock(),
        0,
        RecordVisitor.NONE);
  }

  /** So many writers, each of which appends again as soon as it is told. */
  private void rounds(AppendLog log, int writers, int rounds) throws Exception {
    int[] left = {writers * (rounds - 1)};
    for (int writer = 0; writer < writers; writer++) {
      append(log, left);
    }
    while (ended.size() < writers * rounds) {
      assertThat(log.writer().step()).isTrue();
    }
    ended.clear();
  }

  private void append(AppendLog log, int[] left) throws Exception {
    Append _ =
        log.submit(
            List.of(CrashRun.record(0, 0, 100)),
            0,
            new Append.Completion() {
              @Override
              public void appended(Append append) {
                ended.add(append);
                if (left[0]-- > 0) {
                  again(log, left);
                }
              }

              @Override
              public void failed(Append append, Throwable cause) {
                throw new AssertionError(cause);
              }
            });
  }

  private void again(AppendLog log, int[] left) {
    try {
      append(log, left);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
