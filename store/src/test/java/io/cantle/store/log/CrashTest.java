package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.SyncPoint;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log on a disk that loses whatever it may, stopped anywhere. */
class CrashTest {
  private static final int SEEDS = Integer.getInteger("cantle.seeds", 2000);

  @Test
  void hasWhatItAcknowledgedAfterAnyCrash() {
    for (long seed = 0; seed < SEEDS; seed++) {
      int _ = LogCrashes.run(seed, Set.of());
    }
  }

  @Test
  void survivesACrashInEachCall() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      CrashRun whole = new CrashRun(seed);
      whole.liveOnce(40);
      for (int call = 1; call <= whole.disk.calls(); call++) {
        try {
          new CrashRun(seed).crashAt(call, 40);
        } catch (Throwable e) {
          throw new AssertionError("seed " + seed + ", call " + call, e);
        }
      }
    }
  }

  @Test
  void survivesACrashInEachCallOfADropAndOfTheRecoveryAfterIt() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(LogCrashes.drops(seed, Set.of())).isGreaterThan(20);
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"RUN", "RUN_NAME", "SNAPSHOT", "SNAPSHOT_NAME"})
  void noticesThatASyncIsMissing(SyncPoint point) {
    int seed = 0;
    while (seed < SEEDS && !LogCrashes.notices(seed, point)) {
      seed++;
    }
    assertThat(seed).as("no seed below %d needs %s", SEEDS, point).isLessThan(SEEDS);
  }
}
