package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Long runs of topology drivers under random faults (see {@link DriverStorm}). Nodes come, go,
 * freeze and are cut off while others are, and views are wrong. Afterwards the faults stop, and all
 * present nodes must come together. A failure names its seed.
 */
final class TopologyStormTest {
  private static final int MAX_NODES = 9;
  private static final int STEP_COUNT = 40;

  static List<Long> seeds() {
    int count = Integer.getInteger("storms", 120);
    return new Random(Long.getLong("stormSeed", 7)).longs(count).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void allNodesAgreeOnTopologiesAndNoExcludedMemberHoldsALease(long seed) {
    DriverStorm storm = new DriverStorm(seed);
    Random random = storm.random;
    boolean oldestDecides = random.nextInt(4) == 0;
    int first = 1 + random.nextInt(MAX_NODES);
    for (int i = 0; i < first; i++) {
      storm.new Node("n" + i, first, oldestDecides);
    }
    storm.viewToAll(storm.up());
    storm.advanceTime(500);
    UUID grid = Objects.requireNonNull(storm.nodes.get("n0")).current().gridId();
    assertThat(storm.latest(grid).members()).hasSize(first);
    // From the first write on there is one grid, and it stays.
    storm.nodes.get("n0").driver.reportWrite();
    storm.advanceTime(500);
    assertThat(storm.latest(grid).gridDefinition().isWritten()).isTrue();

    for (int step = 0; step < STEP_COUNT; step++) {
      performRandomEvent(storm, grid, first, oldestDecides);
      storm.advanceTime(50 + random.nextInt(800));
    }
    quiet(storm, grid);
  }

  private static void performRandomEvent(
      DriverStorm storm, UUID grid, int first, boolean oldestDecides) {
    Random random = storm.random;
    List<DriverStorm.Node> up = new ArrayList<>(storm.up());
    Collections.shuffle(up, random);
    DriverStorm.Node one = up.getFirst();
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> {
        int some = 1 + random.nextInt(Math.max(1, up.size() - 1));
        storm.heal();
        storm.cut(up.subList(0, some), up.subList(some, up.size()));
      }
      case 3 -> storm.heal();
      case 4 -> {
        for (DriverStorm.Node other : up) {
          if (random.nextInt(3) == 0) {
            storm.cut(one, other);
          }
        }
      }
      case 5, 6 -> {
        if (up.size() < MAX_NODES) {
          DriverStorm.Node more = storm.new Node("n" + storm.nodes.size(), first, oldestDecides);
          more.view(storm.up());
          up.forEach(node -> node.view(storm.up()));
        }
      }
      case 7 -> one.freeze(random.nextInt(3_000));
      case 8, 9 -> {
        // A view that is wrong.
        List<DriverStorm.Node> present =
            new ArrayList<>(
                storm.up().stream().filter(n -> n == one || random.nextInt(4) > 0).toList());
        one.view(present);
      }
      case 10 -> {
        storm.lossPercent = random.nextInt(3) * 15;
        storm.doublePercent = random.nextInt(3) * 10;
        storm.maxDelayMillis = random.nextBoolean() ? 5 : 400;
      }
      case 11 -> crash(storm, grid, one);
      case 12 ->
          one.driver.reportCacheRequested(
              new CacheDefinition("c" + random.nextInt(20), CacheConfig.distributed().segments(3)));
      default -> one.driver.reportSuspended(random.nextBoolean());
    }
  }

  /** Crashes a node only if a majority is left, so that the others can come together again. */
  private static void crash(DriverStorm storm, UUID grid, DriverStorm.Node one) {
    Membership membership = storm.latest(grid).membership();
    long left =
        storm.up().stream()
            .filter(node -> node != one && membership.voters().contains(node.self))
            .count();
    if (membership.isMajority((int) left - 1)) {
      one.crash();
    }
  }

  private static void quiet(DriverStorm storm, UUID grid) {
    storm.heal();
    storm.lossPercent = 0;
    storm.doublePercent = 0;
    storm.maxDelayMillis = 5;
    storm.viewToAll(storm.up());
    storm.advanceTime(1_000);
    Membership membership = storm.latest(grid).membership();
    List<Member> up = storm.up().stream().map(node -> node.self).toList();
    if (!membership.isMajority((int) membership.voters().stream().filter(up::contains).count())) {
      // The crashed nodes no longer decide anything, but they were voters all the same.
      return;
    }
    storm.advanceTime(25_000);
    Topology latest = storm.latest(grid);
    assertThat(latest.members()).containsExactlyInAnyOrderElementsOf(up);
    for (DriverStorm.Node node : storm.up()) {
      assertThat(node.current()).isEqualTo(latest);
      assertThat(node.driver.lease().isHeld()).as("lease of %s", node.self).isTrue();
      assertThat(node.driver.isCutOff()).isFalse();
      assertThat(node.foreign).isZero();
    }
  }
}
