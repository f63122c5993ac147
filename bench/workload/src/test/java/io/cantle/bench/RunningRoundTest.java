package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class RunningRoundTest {
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Queue<Path> logs = new ConcurrentLinkedQueue<>();

  @Test
  void endsAPairWhoseSidesCannotStartAndKeepsTheirLogs() throws Exception {
    RoundPair.PairResult result =
        new RoundPair(withoutDriver(Product.CANTLE), withoutDriver(Product.BASELINE))
            .run(1, side -> line -> said.add(side.label() + ": " + line));

    assertThat(result.isComparable()).isFalse();
    assertFailed(result.cantle());
    assertFailed(result.baseline());
    assertThat(said)
        .containsExactlyInAnyOrder("cantle: starting 6 nodes", "baseline: starting 6 nodes");
  }

  @Test
  void reportsARoundThatRunsAloneAndCannotStart() throws Exception {
    assertFailed(withoutDriver(Product.CANTLE).run(said::add));
    assertThat(said).containsExactly("starting 6 nodes");
  }

  @Test
  void hasNoTurnsLeftWhenTheRoundHasEnded() throws Exception {
    try (var round =
        new RunningRound(withoutDriver(Product.CANTLE), PeerRound.PAIRED, 60, said::add)) {
      assertThat(round.takeTurn()).isFalse();
      assertThat(round.takeTurn()).isFalse();
      assertFailed(round.result());
    }
  }

  @Test
  void givesUpARoundThatDoesNotEndInTime() throws Exception {
    // It waits for a turn that nobody gives.
    try (var round =
        new RunningRound(withoutDriver(Product.CANTLE), PeerRound.PAIRED, 1, said::add)) {
      PeerRoundResult result = round.result();
      assertThat(result.failures()).singleElement().asString().startsWith("no end after 1 s");
      remember(result);
    }
  }

  /** The class path of this test names no driver of a product. */
  private static PeerRoundProcess withoutDriver(Product product) {
    return new PeerRoundProcess(
        product,
        System.getProperty("java.class.path", ""),
        MeasureDurations.QUICK,
        WorkloadMeasure.of(List.of(Workload.SIZE)));
  }

  private void assertFailed(PeerRoundResult result) {
    assertThat(result.scores()).isEmpty();
    assertThat(result.failures())
        .singleElement()
        .asString()
        .contains("no driver of a product on the class path");
    remember(result);
  }

  private void remember(PeerRoundResult result) {
    String failure = result.failures().getFirst();
    String log = failure.substring(failure.indexOf("(log: ") + 6, failure.length() - 1);
    assertThat(Path.of(log)).exists();
    logs.add(Path.of(log));
  }

  @AfterEach
  void deleteLogs() throws IOException {
    for (Path log : logs) {
      try (Stream<Path> files = Files.walk(Objects.requireNonNull(log.getParent()))) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
