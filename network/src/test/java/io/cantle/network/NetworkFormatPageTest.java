package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Compares docs/formats/network.md with the code. */
class NetworkFormatPageTest {
  private static String page() throws IOException {
    return Files.readString(Path.of("..", "docs", "formats", "network.md"));
  }

  @Test
  void everyTypeOfFrameIsThereWithItsNumber() throws IOException {
    for (FrameType type : FrameType.values()) {
      assertThat(page()).contains("| %d | `%s` |".formatted(type.code(), type));
    }
    assertThat(page()).doesNotContain("| %d | `".formatted(FrameType.values().length));
  }

  @Test
  void limitsAreThoseOfTheCode() throws IOException {
    assertThat(page())
        .contains("at most %d bytes".formatted(Opening.MAX_BYTES))
        .contains("up to %d bytes".formatted(TransportSettings.MAX_NAME_BYTES))
        .contains("up to %,d addresses".formatted(AddressList.MAX_ADDRESSES))
        .contains("%d s for it".formatted(OpeningHandler.DEADLINE_NANOS / 1_000_000_000))
        .contains("after %d s in which".formatted(Connector.SILENCE_NANOS / 1_000_000_000))
        .contains("nothing else was for %d s".formatted(Connector.HEARTBEAT_NANOS / 1_000_000_000));
  }

  @Test
  void lanesHaveTheirNumbers() throws IOException {
    assertThat(Lane.ALL).containsExactly(Lane.DATA, Lane.URGENT);
    assertThat(page()).contains("0 data, 1 urgent");
  }
}
