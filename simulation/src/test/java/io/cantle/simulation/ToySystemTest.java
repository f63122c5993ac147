package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.ToyPeer.Bug;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the simulation itself, on a system that is right by inspection or wrong on purpose. */
final class ToySystemTest {

  @Test
  void correctSystemHasNoViolations() {
    assertThat(violations(Bug.NONE, 40)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "FORGETS_COMMANDS, 10, VIOLATED",
    "LOSES_WRITES, 3, is not within",
    "STALE_READS, 10, VIOLATED",
    "SCAN_STARTS_ANEW, 10, twice",
    "SCAN_SKIPS, 3, iterated",
    "CALLS_OPEN_WRITES_FAILED, 40, VIOLATED",
    "REUSES_OUTPUT, 10, uncaught",
    "WAITS_FOR_EVER, 10, for clients to end",
    "SLEEPS, 1, timed wait of the JDK"
  })
  void plantedBugIsFound(Bug bug, int seeds, String words) {
    assertThat(violations(bug, seeds)).anyMatch(violation -> violation.contains(words));
  }

  @Test
  void seedIsDeterministic() {
    long previous = 0;
    for (long seed = 1; seed <= 10; seed++) {
      long hash = hash(Bug.NONE, seed);
      assertThat(hash(Bug.NONE, seed)).isEqualTo(hash).isNotEqualTo(previous);
      previous = hash;
    }
  }

  @Test
  void dependenceOnRealTimeShowsInTheHash() {
    List<Long> hashes = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      hashes.add(hash(Bug.READS_REAL_TIME, 1));
    }
    assertThat(hashes.stream().distinct().count()).isGreaterThan(1);
  }

  @Test
  void seedExercisesAllClients() {
    for (long seed = 1; seed <= 10; seed++) {
      SeedResult result = SeedRun.of(seed, SeedSettings.DEFAULT, ToyPeer.starter(Bug.NONE), null);
      assertThat(result.counts())
          .satisfies(
              counts -> {
                assertThat(counts.get(EventKind.JOIN)).isGreaterThanOrEqualTo(3);
                assertThat(counts.get(EventKind.RETURN)).isGreaterThanOrEqualTo(300);
              });
      assertThat(result.virtualNanos()).isGreaterThanOrEqualTo(60_000_000_000L);
    }
  }

  @Test
  void everyKindOfFaultHappens() {
    Simulation simulation =
        new Simulation(
            () -> ToyPeer.starter(Bug.NONE), new SeedSettings(SimulatedFault.ALL, 20), null);
    SeedSummary summary =
        simulation.run(1, 60, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violatedResults()).isEmpty();
    assertThat(summary.absentKinds(SimulatedFault.ALL)).isEmpty();
  }

  private static List<String> violations(Bug bug, int seeds) {
    Simulation simulation = new Simulation(() -> ToyPeer.starter(bug), SeedSettings.DEFAULT, null);
    SeedSummary summary =
        simulation.run(1, seeds, Runtime.getRuntime().availableProcessors(), present -> {});
    return summary.violatedResults().stream().map(result -> "" + result.violation()).toList();
  }

  private static long hash(Bug bug, long seed) {
    return SeedRun.of(seed, SeedSettings.DEFAULT, ToyPeer.starter(bug), null).hash();
  }
}
