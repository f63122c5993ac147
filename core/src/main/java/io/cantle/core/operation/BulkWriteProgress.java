package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.CacheDestroyedException;
import io.cantle.GridException;
import io.cantle.PartialWriteException;
import io.cantle.core.base.CallerFrames;
import io.cantle.core.base.Clock;
import io.cantle.core.call.ClosedNodeGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one call of {@link BulkWriteClient}: its messages in flight, and the results of
 * those that have ended.
 *
 * <p><b>Threading:</b> the caller waits; any thread reports.
 */
final class BulkWriteProgress {
  final InFlightLimit inFlight;

  @GuardedBy("this")
  private long written;

  @GuardedBy("this")
  private long doubtful;

  @GuardedBy("this")
  private final List<byte[]> doubtfulKeys = new ArrayList<>();

  @GuardedBy("this")
  private final List<byte[]> unwrittenKeys = new ArrayList<>();

  @GuardedBy("this")
  private @Nullable RuntimeException failure;

  BulkWriteProgress(Clock clock) {
    inFlight = new InFlightLimit(clock);
  }

  synchronized @Nullable RuntimeException failure() {
    return failure;
  }

  synchronized long written() {
    return written;
  }

  synchronized void recordFailure(RuntimeException thrown) {
    failure = failure == null ? thrown : failure;
  }

  /** Records which of these writes were written, which may have been, and which were not. */
  synchronized void recordOutcomes(List<PendingBulkWrite> items) {
    for (PendingBulkWrite item : items) {
      if (item.answered) {
        written++;
      } else {
        List<byte[]> keys = item.isDoubtful() ? doubtfulKeys : unwrittenKeys;
        doubtful += item.isDoubtful() ? 1 : 0;
        if (keys.size() < PartialWriteException.MAX_KEYS) {
          keys.add(item.write.key());
        }
      }
    }
  }

  /**
   * The exception for the caller, once no message is in flight any more.
   *
   * @param keys makes of a key what the exception names it by; throws nothing
   */
  synchronized RuntimeException toException(
      RuntimeException thrown, Function<byte[], Object> keys, ClosedNodeGuard guard) {
    // Of a cache that was destroyed nothing is left, whatever was written.
    GridException cause =
        thrown instanceof CacheDestroyedException ? null : guard.explainExpected(thrown);
    if (cause == null || (written == 0 && doubtful == 0)) {
      return CallerFrames.addTo(thrown);
    }
    List<Object> keyObjects =
        Stream.concat(doubtfulKeys.stream(), unwrittenKeys.stream()).map(keys).toList();
    return new PartialWriteException(written, doubtful, keyObjects, cause);
  }

  void completeChunk(List<PendingBulkWrite> items, @Nullable RuntimeException thrown) {
    recordOutcomes(items);
    if (thrown != null) {
      recordFailure(thrown);
    }
    inFlight.end();
  }
}
