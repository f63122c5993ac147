package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightLoaderTest {
  @TempDir private Path folder;

  @Test
  void putsEveryRowOnceInBatches() throws Exception {
    Map<FlightKey, Flight> all = new HashMap<>();
    List<Integer> sizes = new ArrayList<>();
    List<Long> progress = new ArrayList<>();
    try (FlightFile file = FlightFile.open(flights(4_500), _ -> {})) {
      FlightLoader.load(
          file,
          batch -> {
            sizes.add(batch.size());
            all.putAll(batch);
            return CompletableFuture.completedFuture(null);
          },
          progress::add);
    }
    assertThat(all).hasSize(4_500);
    assertThat(sizes).containsExactly(2_000, 2_000, 500);
    assertThat(progress).containsExactly(2_000L, 4_000L, 4_500L);
  }

  @Test
  void failsWithTheFailureOfABatch() throws Exception {
    try (FlightFile file = FlightFile.open(flights(10), _ -> {})) {
      assertThatThrownBy(
              () ->
                  FlightLoader.load(
                      file,
                      _ -> CompletableFuture.failedFuture(new IllegalStateException("full")),
                      _ -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("full");
    }
  }

  private Path flights(int count) throws Exception {
    StringBuilder text = new StringBuilder(FlightRowParser.HEADER).append('\n');
    for (int i = 0; i < count; i++) {
      text.append("UA").append(i).append(",EWR,IAH,2013-01-01T05:15,2,11,1400\n");
    }
    return Files.writeString(folder.resolve("flights.csv"), text);
  }
}
