package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.chaos.FailoverTimes.Cause;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how measured times are reported. */
final class FailoverTimesTest {
  private static final long MILLI_NANOS = 1_000_000;

  private static ChaosSettings settings(boolean strictTimes) {
    return new ChaosSettings(
        Duration.ofMinutes(1),
        3,
        2,
        10,
        0,
        1,
        Set.of(FaultKind.PAUSE),
        ChaosSettings.MAX_PAUSE,
        strictTimes,
        null);
  }

  @TempDir private Path folder = Path.of("");

  @Test
  void reportsMedianAndMaximumPerCause() throws IOException {
    try (FaultLog log = new FaultLog(folder)) {
      FailoverTimes failovers = new FailoverTimes(log);
      failovers.recordTime(Cause.KILL, "a", 900 * MILLI_NANOS);
      failovers.recordTime(Cause.KILL, "b", 2_001 * MILLI_NANOS);
      failovers.recordTime(Cause.KILL, "c", 1_100 * MILLI_NANOS);
      failovers.recordTime(Cause.PAUSE, "d", 3_000 * MILLI_NANOS);
      failovers.recordTime(Cause.HEALING, "e", 40 * MILLI_NANOS);
      assertThat(failovers.figures())
          .containsEntry("measuredFailovers", 3L)
          .containsEntry("medianFailoverMillis", 1_100L)
          .containsEntry("slowestFailoverMillis", 2_001L)
          .containsEntry("slowestFailoverMillisAfterPause", 3_000L)
          .containsEntry("measuredFailoversAfterCut", 0L)
          .containsEntry("slowestFailoverMillisAfterCut", 0L)
          .containsEntry("slowestReturnMillisAfterCut", 40L)
          .containsEntry("failoversTooSlow", 1L);
      assertThat(ChaosRun.violatedTimes(settings(false), failovers)).isEmpty();
      assertThat(ChaosRun.violatedTimes(settings(true), failovers))
          .containsExactly(
              "a key was written again 2001 ms after SIGKILL of its primary, 2000 ms are promised");
    }
    assertThat(folder.resolve(FaultLog.FILE_NAME))
        .content()
        .contains("\"measured\":\"KILL\"", "2001");
    // A measurement is no fault.
    assertThat(ChaosHistory.read(folder).pauses()).isEmpty();
  }
}
