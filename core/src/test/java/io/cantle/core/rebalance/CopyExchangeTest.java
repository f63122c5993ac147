package io.cantle.core.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.rebalance.RebalanceGrid.Node;
import org.junit.jupiter.api.Test;

/** Tests when the exchange of second copies looks for work. */
final class CopyExchangeTest {
  private static final int SEGMENTS = 32;
  private static final CacheDefinition SPREAD =
      new CacheDefinition("spread", CacheConfig.scattered().segments(SEGMENTS));

  private final RebalanceGrid grid = new RebalanceGrid();

  @Test
  void collectingManySegmentsLeavesNoMoreTimersThanBefore() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    Node c = grid.start("c");
    grid.view(a, b, c);
    grid.settle();
    a.driver.reportCacheRequested(SPREAD);
    grid.exclude();
    assertThat(segmentsServed(a, b, c)).isEqualTo(SEGMENTS);
    int timers = grid.clock.pendingTimers();

    grid.crash(c);
    grid.view(a, b);
    grid.exclude();
    grid.exclude();

    assertThat(segmentsServed(a, b)).isEqualTo(SEGMENTS);
    assertThat(grid.clock.pendingTimers()).isLessThanOrEqualTo(timers);
  }

  @Test
  void timersEndWhenNothingIsDueAndComeBackForACopyToDrop() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    Node c = grid.start("c");
    grid.view(a, b, c);
    grid.settle();
    int timers = grid.clock.pendingTimers();
    a.driver.reportCacheRequested(SPREAD);
    grid.exclude();
    assertThat(segmentsServed(a, b, c)).isEqualTo(SEGMENTS);
    grid.exclude();
    assertThat(grid.clock.pendingTimers()).isEqualTo(timers);

    Node primary = b.replica(0).state().isActivePrimary() ? b : a;
    primary = c.replica(0).state().isActivePrimary() ? c : primary;
    Node one = primary == a ? b : a;
    Node other = primary == c ? b : c;
    grid.scatter(primary, 0, "k", one);
    assertThat(one.contents(0)).containsExactly("k");
    grid.scatter(primary, 0, "k", other);
    assertThat(other.contents(0)).containsExactly("k");
    assertThat(one.contents(0)).containsExactly("k");
    grid.settle();
    assertThat(one.contents(0)).isEmpty();
    assertThat(other.contents(0)).containsExactly("k");
    assertThat(grid.clock.pendingTimers()).isEqualTo(timers);
  }

  private static int segmentsServed(Node... nodes) {
    int served = 0;
    for (Node node : nodes) {
      for (int segment = 0; segment < SEGMENTS; segment++) {
        served += node.replica(segment).state().isActivePrimary() ? 1 : 0;
      }
    }
    return served;
  }
}
