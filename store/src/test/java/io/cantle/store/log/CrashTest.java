package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.SyncPoint;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log on a disk that loses whatever it may, stopped anywhere. */
class CrashTest {
  private static final int SEEDS = Integer.getInteger("cantle.seeds", 2000);
  private static final int LIVES = 4;

  @Test
  void hasWhatItAcknowledgedAfterAnyCrash() {
    for (long seed = 0; seed < SEEDS; seed++) {
      runs(seed, null);
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
  void survivesACrashInEachCallOfADropAndOfTheRecoveryAfterIt() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(drops(seed, null)).isGreaterThan(20);
    }
  }

  /** How many pairs of calls there are to be stopped in. */
  private static int drops(long seed, @Nullable SyncPoint forgotten) throws Exception {
    int pairs = 0;
    boolean reached = true;
    for (int call = 1; reached; call++) {
      reached = false;
      for (int next = 1; next == 1 || reached; next++) {
        CrashRun run =
            new CrashRun(
                seed,
                LogOptions.of(SyncPolicy.GROUP)
                    .withFileBytes(1 << 15)
                    .withSpareFiles((int) seed % 2),
                true);
        try {
          reached = (forgotten == null ? run : run.forget(forgotten)).dropThenRecover(call, next);
          pairs++;
        } catch (Throwable e) {
          throw new AssertionError("seed " + seed + ", calls " + call + " and " + next, e);
        }
        if (!reached) {
          reached = next > 1;
          break;
        }
      }
    }
    return pairs;
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"RUN", "RUN_NAME", "SNAPSHOT", "SNAPSHOT_NAME"})
  void noticesThatASyncIsMissing(SyncPoint point) throws Exception {
    int seed = 0;
    while (seed < SEEDS && !fails(seed, point)) {
      seed++;
    }
    assertThat(seed).as("no seed below %d needs %s", SEEDS, point).isLessThan(SEEDS);
  }

  private static boolean fails(long seed, SyncPoint point) throws Exception {
    try {
      runs(seed, point);
      int _ = seed < 20 ? drops(seed, point) : 0;
      return false;
    } catch (AssertionError _) {
      return true;
    }
  }

  private static void runs(long seed, @Nullable SyncPoint forgotten) {
    CrashRun run = new CrashRun(seed);
    if (forgotten != null) {
      run = run.forget(forgotten);
    }
    try {
      run.live(LIVES);
    } catch (Throwable e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
