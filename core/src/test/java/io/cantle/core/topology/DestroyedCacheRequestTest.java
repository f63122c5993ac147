package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.agreement.MemberReport;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests requests about caches that arrive after a cache of their name was destroyed. */
final class DestroyedCacheRequestTest {
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(2));

  private final DriverGrid grid = new DriverGrid();
  private final DriverGrid.Node[] nodes = grid.startDurable("a", "b", "c");
  private final TopologyDriver driver = nodes[0].driver;
  private long numberBefore;

  @BeforeEach
  void destroy() {
    numberBefore = driver.current().number();
    driver.reportCacheRequested(USERS);
    grid.advanceMillis(50);
    assertThat(driver.current().cacheIndex("users")).isZero();
    driver.reportDestroyRequested(driver.current().gridId(), 0);
    grid.advanceMillis(50);
    assertThat(driver.current().caches().isGoneEverywhere(0)).isTrue();
  }

  /** Any voter may lead. */
  private void reportToAll(MemberReport report) {
    for (DriverGrid.Node node : nodes) {
      nodes[0].messaging.post(node.self, report);
    }
    grid.advanceMillis(50);
  }

  @Test
  void lateRequestDoesNotBringTheCacheBack() {
    Topology before = driver.current();
    reportToAll(new MemberReport.CacheRequested(USERS, numberBefore));
    assertThat(driver.current()).isEqualTo(before);
    reportToAll(new MemberReport.CacheRequested(USERS, before.caches().lastDestroyNumber() - 1));
    assertThat(driver.current()).isEqualTo(before);
  }

  @Test
  void requestOfASenderThatKnowsCreatesAnotherCache() {
    reportToAll(
        new MemberReport.CacheRequested(USERS, driver.current().caches().lastDestroyNumber()));
    assertThat(driver.current().cacheIndex("users")).isEqualTo(1);
    DriverGrid.assertAgreed(nodes);
  }

  @Test
  void lateRequestToDestroyDoesNotMeanTheNextCacheOfTheName() {
    driver.reportCacheRequested(USERS);
    grid.advanceMillis(50);
    Topology begun = driver.current();
    assertThat(begun.cacheIndex("users")).isEqualTo(1);
    reportToAll(new MemberReport.DestroyRequested(begun.gridId(), 0));
    assertThat(driver.current()).isEqualTo(begun);
  }

  @Test
  void requestOfAnotherGridMeansAnotherCache() {
    driver.reportCacheRequested(USERS);
    grid.advanceMillis(50);
    Topology begun = driver.current();
    reportToAll(new MemberReport.DestroyRequested(new UUID(6, 6), 1));
    assertThat(driver.current()).isEqualTo(begun);
  }
}
