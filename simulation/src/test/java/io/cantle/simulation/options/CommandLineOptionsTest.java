package io.cantle.simulation.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CommandLineOptionsTest {

  @Test
  void readsOptionsAndTheirValues() {
    CommandLineOptions options =
        new CommandLineOptions(
            List.of("--first", "-3", "--trace", "--json", "out.json", "--threads", "256"));
    assertThat(options.next()).isEqualTo("--first");
    assertThat(options.number(-3, 3)).isEqualTo(-3);
    assertThat(options.next()).isEqualTo("--trace");
    assertThat(options.next()).isEqualTo("--json");
    assertThat(options.path()).isEqualTo(Path.of("out.json"));
    assertThat(options.next()).isEqualTo("--threads");
    assertThat(options.threads()).isEqualTo(256);
    assertThat(options.hasNext()).isFalse();
  }

  @Test
  void failureNamesOptionAndValue() {
    refuses("--seeds needs a value; see --help", "--seeds");
    refuses("--seeds many is not a whole number", "--seeds", "many");
    refuses("--seeds 0 is not within 1 to 9", "--seeds", "0");
    refuses("--seeds 10 is not within 1 to 9", "--seeds", "10");
  }

  private static void refuses(String message, String... words) {
    CommandLineOptions options = new CommandLineOptions(List.of(words));
    String _ = options.next();
    assertThatThrownBy(() -> options.count(9))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
