package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.SyncPoint;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a store that is stopped anywhere, on a disk that loses everything it may lose. */
class StoreCrashTest {
  private static final int SEED_COUNT = Integer.getInteger("cantle.seeds", 2000);

  @Test
  void keepsAcknowledgedWritesAfterAnyCrash() {
    for (long seed = 0; seed < SEED_COUNT; seed++) {
      int _ = StoreCrashTrial.runSeed(seed, Set.of());
    }
  }

  @Test
  void survivesACrashInEachCall() throws Exception {
    for (long seed = 0; seed < 10; seed++) {
      StoreCrashRun whole = new StoreCrashRun(seed);
      whole.runIncarnation(70);
      for (int call = 1; call <= whole.disk.calls(); call++) {
        try {
          new StoreCrashRun(seed).crashAt(call, 70, 0);
        } catch (Throwable e) {
          throw new AssertionError("seed " + seed + ", call " + call, e);
        }
      }
    }
  }

  @Test
  void survivesACrashInEachCallOfOpening() throws Exception {
    for (long seed = 0; seed < 10; seed++) {
      for (int call = 5; call < 150; call += 9) {
        for (int next = 1; next <= 15; next++) {
          try {
            new StoreCrashRun(seed).crashAt(call, 70, next);
          } catch (Throwable e) {
            throw new AssertionError("seed " + seed + ", calls " + call + " and " + next, e);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RUN", "RUN_NAME", "SNAPSHOT", "SNAPSHOT_NAME"})
  void noticesAMissingSync(SyncPoint point) {
    int seed = 0;
    while (seed < SEED_COUNT && !StoreCrashTrial.noticesForgottenSync(seed, point)) {
      seed++;
    }
    assertThat(seed).as("no seed below %d needs %s", SEED_COUNT, point).isLessThan(SEED_COUNT);
  }
}
