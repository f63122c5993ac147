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
 * Puts the flights of a file, many at a time and a few such batches side by side: while one is on
 * its way the next is read.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Loading {
  private static final int BATCH_ENTRIES = 2_000;
  private static final int BATCHES_AT_ONCE = 4;

  private final Function<Map<FlightKey, Flight>, CompletionStage<@Nullable Void>> put;
  private final LongConsumer progress;
  private final Deque<Batch> underway = new ArrayDeque<>();
  private long loaded;

  private Loading(
      Function<Map<FlightKey, Flight>, CompletionStage<@Nullable Void>> put,
      LongConsumer progress) {
    this.put = put;
    this.progress = progress;
  }

  /**
   * Puts all rows that are left in the file.
   *
   * @param put starts to put a batch
   * @param progress is told how many entries are in the grid
   * @throws UsageException if the file cannot be read
   */
  static void load(
      FlightFile file,
      Function<Map<FlightKey, Flight>, CompletionStage<@Nullable Void>> put,
      LongConsumer progress)
      throws UsageException {
    Loading loading = new Loading(put, progress);
    Map<FlightKey, Flight> batch = HashMap.newHashMap(BATCH_ENTRIES);
    for (FlightRow row = file.next(); row != null; row = file.next()) {
      batch.put(row.key(), row.flight());
      if (batch.size() == BATCH_ENTRIES) {
        loading.start(batch);
        batch = HashMap.newHashMap(BATCH_ENTRIES);
      }
    }
    loading.start(batch);
    loading.waitUntil(0);
  }

  private void start(Map<FlightKey, Flight> batch) {
    waitUntil(BATCHES_AT_ONCE - 1);
    underway.add(new Batch(batch.size(), put.apply(batch).toCompletableFuture()));
  }

  private void waitUntil(int batches) {
    while (underway.size() > batches) {
      Batch batch = underway.remove();
      try {
        batch.done().join();
      } catch (CompletionException exception) {
        throw exception.getCause() instanceof RuntimeException cause ? cause : exception;
      }
      loaded += batch.entries();
      progress.accept(loaded);
    }
  }

  private record Batch(int entries, CompletableFuture<@Nullable Void> done) {}
}
