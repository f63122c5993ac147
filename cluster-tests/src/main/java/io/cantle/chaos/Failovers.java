package io.cantle.chaos;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long it took until a key could be written again whose primary had failed.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class Failovers {
  private long kills;
  private long killNanos;
  private long pauseNanos;
  private long cutNanos;

  void killed(long nanos) {
    kills++;
    killNanos = Math.max(killNanos, nanos);
  }

  void paused(long nanos) {
    pauseNanos = Math.max(pauseNanos, nanos);
  }

  void cut(long nanos) {
    cutNanos = Math.max(cutNanos, nanos);
  }

  /** The slowest of each kind; 0 where there was none. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("measuredFailovers", kills);
    figures.put("slowestFailoverMillis", TimeUnit.NANOSECONDS.toMillis(killNanos));
    figures.put("slowestFailoverMillisAfterPause", TimeUnit.NANOSECONDS.toMillis(pauseNanos));
    figures.put("slowestFailoverMillisAfterCut", TimeUnit.NANOSECONDS.toMillis(cutNanos));
    return figures;
  }
}
