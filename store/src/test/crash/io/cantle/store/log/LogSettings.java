package io.cantle.store.log;

import io.cantle.store.log.LogStrategy.CompletionWait;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The options that differ by strategy and by flushing, for what must hold for each of them. */
public final class LogSettings {
  private LogSettings() {}

  /** Every strategy, with and without flushing. */
  public static List<LogOptions> all() {
    return Stream.of(true, false).flatMap(LogSettings::withFlushing).toList();
  }

  private static Stream<LogOptions> withFlushing(boolean flushing) {
    return Stream.concat(
            Stream.of(
                new LogStrategy.Simple(),
                new LogStrategy.Waiting(3, Duration.ofMillis(1)),
                new LogStrategy.Waiting(1_000, Duration.ZERO),
                new LogStrategy.GroupCommit()),
            Stream.of(CompletionWait.values()).map(LogStrategy.SingleWriter::new))
        .map(LogOptions.DEFAULT.withFlushing(flushing)::withStrategy);
  }

  /** Those that a single thread can drive, because none waits for another caller. */
  public static List<LogOptions> driven() {
    return all().stream()
        .filter(
            options ->
                !(options.strategy() instanceof LogStrategy.Waiting waiting)
                    || waiting.delay().isZero())
        .toList();
  }
}
