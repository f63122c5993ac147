package io.cantle.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.disk.SyncPoint;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests a log that is stopped anywhere, on a disk that loses everything it may lose. */
class LogCrashTest {
  private static final int SEED_COUNT = Integer.getInteger("cantle.seeds", 2000);

  @Test
  void keepsAcknowledgedRecordsAfterAnyCrash() {
    for (long seed = 0; seed < SEED_COUNT; seed++) {
      int _ = LogCrashTrial.runSeed(seed, Set.of());
    }
  }

  static List<LogOptions> settings() {
    return LogSettings.driven();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void keepsItsPromisesWithEachStrategy(LogOptions options) {
    int crashes = 0;
    for (long seed = 0; seed < SEED_COUNT / 5; seed++) {
      crashes += LogCrashTrial.runSeed(seed, options, Set.of());
    }
    assertThat(crashes).isGreaterThan(SEED_COUNT / 5);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void noticesAMissingSyncWithEachStrategy(LogOptions options) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SEED_COUNT; seed++) {
                int _ = LogCrashTrial.runSeed(seed, options, Set.of(SyncPoint.BATCH));
              }
            })
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void survivesACrashInEachCall() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      LogCrashRun whole = new LogCrashRun(seed);
      whole.runIncarnation(40);
      for (int call = 1; call <= whole.disk.calls(); call++) {
        try {
          new LogCrashRun(seed).crashAt(call, 40);
        } catch (Throwable e) {
          throw new AssertionError("seed " + seed + ", call " + call, e);
        }
      }
    }
  }

  @Test
  void survivesACrashInEachCallOfADropAndItsRecovery() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(LogCrashTrial.dropsFiles(seed, Set.of())).isGreaterThan(20);
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE, // No record is lost with the mark of a log that was closed.
      names = {"CLOSED", "RUN", "RUN_NAME", "SNAPSHOT", "SNAPSHOT_NAME"})
  void noticesAMissingSync(SyncPoint point) {
    int seed = 0;
    while (seed < SEED_COUNT && !LogCrashTrial.noticesForgottenSync(seed, point)) {
      seed++;
    }
    assertThat(seed).as("no seed below %d needs %s", SEED_COUNT, point).isLessThan(SEED_COUNT);
  }
}
