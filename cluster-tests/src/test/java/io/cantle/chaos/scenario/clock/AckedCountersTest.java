package io.cantle.chaos.scenario.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AckedCountersTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void whatOneMappingIsToldAnotherShowsAndItNeverGoesBack() throws IOException {
    AckedCounters one = AckedCounters.map(folder.resolve("acked"), 2);
    AckedCounters other = AckedCounters.map(folder.resolve("acked"), 2);
    one.acked(1, 7);
    assertThat(other.get(1)).isEqualTo(7);
    assertThat(other.get(0)).isZero();
    other.acked(1, 5);
    assertThat(one.get(1)).isEqualTo(7);
  }
}
