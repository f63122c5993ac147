package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.GridConfig;
import io.cantle.core.base.ManualClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests what a node logs while it waits to be admitted, and what it throws in the end. */
final class JoinProgressLoggerTest {
  private static final GridConfig CONFIG =
      GridConfig.named("shop").timeout(Duration.ofSeconds(15)).initialMembers(3);

  private final ManualClock clock = new ManualClock();
  private final List<String> lines = new ArrayList<>();

  private static String state(GridConfig config, String trouble, String... others) {
    return new NodeErrorMessages(config, "n1").joinState(List.of(others), null, trouble);
  }

  @Test
  void waitIsLoggedAtGrowingIntervals() {
    JoinProgressLogger logger =
        new JoinProgressLogger(
            clock,
            clock.nanoTime(),
            TimeUnit.SECONDS.toNanos(60),
            () -> "n1 waits",
            text -> lines.add(text));
    for (int i = 0; i < 50 * 20; i++) {
      clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
      logger.run();
    }
    assertThat(lines)
        .containsExactly(
            "n1 waits; it waits for 57,000 ms more at most (GridConfig.timeout)",
            "n1 waits; it waits for 54,000 ms more at most (GridConfig.timeout)",
            "n1 waits; it waits for 48,000 ms more at most (GridConfig.timeout)",
            "n1 waits; it waits for 36,000 ms more at most (GridConfig.timeout)",
            "n1 waits; it waits for 12,000 ms more at most (GridConfig.timeout)");
  }

  @Test
  void shortWaitIsNotLogged() {
    JoinProgressLogger logger =
        new JoinProgressLogger(
            clock,
            clock.nanoTime(),
            TimeUnit.SECONDS.toNanos(60),
            () -> "",
            text -> lines.add(text));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(2_999));
    logger.run();
    assertThat(lines).isEmpty();
  }

  @Test
  void tooFewNodesAreNamedWithTheSettingThatAsksForMore() {
    assertThat(state(CONFIG, "", "n2 (127.0.0.1:7801)"))
        .isEqualTo(
            "it sees n2 (127.0.0.1:7801); a new grid begins once 3 nodes see each other"
                + " (GridConfig.initialMembers)");
    assertThat(new NodeErrorMessages(CONFIG, "n1").notJoined("it sees n2"))
        .isEqualTo(
            "node n1 did not join grid \"shop\" within 15000 ms (GridConfig.timeout): it sees n2");
  }

  @Test
  void nodeThatSeesNobodySaysWhereItHasLooked() {
    assertThat(state(CONFIG, ""))
        .startsWith("it sees no other node at 127.0.0.1, ports 7800 to 7831 (GridConfig.ports); ");
    assertThat(state(CONFIG.ports(0, 0), ""))
        .startsWith("it sees no other node and has no place to look for any (GridConfig.seeds); ");
    List<InetSocketAddress> seeds =
        List.of(
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 7801),
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 7802));
    assertThat(state(CONFIG.seeds(seeds), ""))
        .startsWith("it sees no other node at 127.0.0.1:7801, 127.0.0.1:7802 (GridConfig.seeds); ");
  }

  @Test
  void whatOthersRefuseItForIsSaid() {
    assertThat(state(CONFIG, "n2 is cut off: n3 is missing", "n2"))
        .isEqualTo("it sees n2; n2 is cut off: n3 is missing");
    assertThat(new NodeErrorMessages(CONFIG, "n1").joinState(List.of("n2"), "n2 speaks 1", "other"))
        .isEqualTo(
            "it sees n2; n2 speaks 1: the nodes of a grid have one release, or one and the release"
                + " before it");
    assertThat(state(CONFIG.initialMembers(1), "", "n2"))
        .isEqualTo("it sees n2; no grid has admitted it, and it has not founded one");
  }
}
