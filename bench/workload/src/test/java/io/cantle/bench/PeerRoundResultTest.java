package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PeerRoundResultTest {

  @Test
  void roundTrips(@TempDir Path folder) throws IOException {
    var result =
        new PeerRoundResult(
            "1.2",
            Map.of(
                new WorkloadMeasure(Workload.PUT, 4),
                1.0 / 3,
                new WorkloadMeasure(Workload.SIZE, 1),
                1e7),
            List.of("get, 1 thread: a = b: \\ wrong"));
    Path file = folder.resolve("result");
    result.write(file);

    assertThat(PeerRoundResult.read(file)).isEqualTo(result);
  }

  @Test
  void namesTheInnermostReasonOfAFailure() {
    var wrapped = new RuntimeException("wrapper");
    wrapped.addSuppressed(
        new RuntimeException("inner wrapper", new IllegalStateException("size is 1\nof 2")));

    assertThat(PeerRound.reason(wrapped)).isEqualTo("java.lang.IllegalStateException: size is 1");
  }
}
