package io.cantle.cli.demo;

import io.cantle.cli.console.UsageException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Loads the flights of a file in batches, several of them in flight: while one is being put the
 * next is read.
 *
 * <p><b>Threading:</b> one thread.
 */
final class FlightLoader {
  private static final int BATCH_ENTRIES = 2_000;
  private static final int MAX_BATCHES_IN_FLIGHT = 4;

  private final Function<Map<FlightKey, Flight>, CompletionStage<@Nullable Void>> put;
  private final LongConsumer progress;
  private final Deque<Batch> inFlight = new ArrayDeque<>();
  private long loadedCount;

  private FlightLoader(
      Function<Map<FlightKey, Flight>, CompletionStage<@Nullable Void>> put,
      LongConsumer progress) {
    this.put = put;
    this.progress = progress;
  }

  /**
   * Puts all remaining rows of the file.
   *
   * @param put starts to put a batch
   * @param progress receives how many entries are in the grid
   * @throws UsageException if the file cannot be read
   */
  static void load(
      FlightFile file,
      Function<Map<FlightKey, Flight>, CompletionStage<@Nullable Void>> put,
      LongConsumer progress)
      throws UsageException {
    FlightLoader loading = new FlightLoader(put, progress);
    Map<FlightKey, Flight> batch = HashMap.newHashMap(BATCH_ENTRIES);
    for (FlightRow row = file.next(); row != null; row = file.next()) {
      batch.put(row.key(), row.flight());
      if (batch.size() == BATCH_ENTRIES) {
        loading.startBatch(batch);
        batch = HashMap.newHashMap(BATCH_ENTRIES);
      }
    }
    loading.startBatch(batch);
    loading.awaitAtMost(0);
  }

  private void startBatch(Map<FlightKey, Flight> batch) {
    awaitAtMost(MAX_BATCHES_IN_FLIGHT - 1);
    inFlight.add(new Batch(batch.size(), put.apply(batch).toCompletableFuture()));
  }

  private void awaitAtMost(int batches) {
    while (inFlight.size() > batches) {
      Batch batch = inFlight.remove();
      try {
        batch.completion().join();
      } catch (CompletionException exception) {
        throw exception.getCause() instanceof RuntimeException cause ? cause : exception;
      }
      loadedCount += batch.entries();
      progress.accept(loadedCount);
    }
  }

  private record Batch(int entries, CompletableFuture<@Nullable Void> completion) {}
}
