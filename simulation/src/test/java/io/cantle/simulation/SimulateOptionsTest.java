package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SimulateOptionsTest {

  @Test
  void readsEveryOption() {
    SimulateOptions options =
        parse(
            "--seeds 20 --first 5 --threads 3 --json figures.json --virtual-seconds 7 --faults loss,ring");
    SeedSettings settings =
        new SeedSettings(EnumSet.of(SimulatedFault.LOSS, SimulatedFault.RING), 7);
    assertThat(options)
        .isEqualTo(new SimulateOptions(5, 20, 3, settings, false, Path.of("figures.json")));
  }

  @Test
  void parsesAvailableMode() {
    assertThat(parse("--seeds 3").settings().isAvailable()).isFalse();
    assertThat(parse("--mode consistent").settings().isAvailable()).isFalse();
    assertThat(parse("--mode available --seeds 3").settings().isAvailable()).isTrue();
    assertThat(parse("--mode durable").settings()).isEqualTo(SeedSettings.DURABLE);
    assertThat(parse("--seeds 3").settings().isDurable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seed 7",
        "--seed 7 --nodes 5 --rate 1000",
        "--seed 7 --virtual-seconds 9 --faults loss,one-way",
        "--seed 7 --mode available",
        "--seed 7 --mode durable",
        "--seed 7 --faults crash,stop --mode durable",
        "--seed 7 --workload streams",
        "--seed 7 --mode durable --versions mixed",
        "--seed 7 --bounded --versions mixed",
        "--seed 7 --bounded --mode available",
        "--seed 7 --cache-mode scattered",
        "--seed 7 --container off-heap",
        "--seed 7 --bounded --container off-heap",
        "--seed 7 --faults join,crash --workload streams"
      })
  void replayContainsNonDefaultOptions(String words) {
    assertThat("--seed 7" + parse(words).settings().toWords()).isEqualTo(words);
  }

  @Test
  void scatteredCacheNeedsTheConsistentModeWithoutBounds() {
    for (String other : new String[] {"--mode available", "--mode durable", "--bounded"}) {
      assertThatThrownBy(() -> parse("--cache-mode scattered " + other))
          .hasMessageContaining("--cache-mode scattered needs --mode consistent");
    }
    assertThatThrownBy(() -> parse("--cache-mode local"))
        .hasMessage("--cache-mode local is not usual or scattered");
  }

  @Test
  void refusesAContainerThatIsNone() {
    assertThatThrownBy(() -> parse("--container heap"))
        .hasMessage("--container heap is not any or off-heap");
  }

  @Test
  void singleSeedMayBeTraced() {
    SimulateOptions options = parse("--seed -7 --trace");
    assertThat(options.first()).isEqualTo(-7);
    assertThat(options.seeds()).isEqualTo(1);
    assertThat(options.trace()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seeds",
        "--seeds 0",
        "--seeds x",
        "--threads 257",
        "--trace",
        "--seed 1 --seeds 2",
        "--seed 1 --first 2",
        "--sedes 3",
        "--virtual-seconds 4",
        "--faults flood",
        "--mode",
        "--mode fast",
        "--workload",
        "--workload batch",
        "--versions",
        "--versions next",
        "--workload streams --mode available",
        "--workload streams --mode durable",
        "7"
      })
  void refusesInvalidOptions(String words) {
    assertThatThrownBy(() -> parse(words))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            words.split(" ", -1)[0].replace("--trace", "--seed").replace("--faults", "flood"));
  }

  private static SimulateOptions parse(String words) {
    return SimulateOptions.of(List.of(words.split(" ", -1)));
  }
}
