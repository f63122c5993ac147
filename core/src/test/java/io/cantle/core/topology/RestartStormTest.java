package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Long runs of topology drivers with stores under random faults (see {@link DriverStorm}). They
 * crash at any moment, alone or all together, and restart as the same nodes. Afterwards the faults
 * stop, all nodes start again, and the grid continues. A failure names its seed.
 */
final class RestartStormTest {
  private static final int MAX_NODES = 7;
  private static final int STEP_COUNT = 50;

  static List<Long> seeds() {
    int count = Integer.getInteger("storms", 120);
    return new Random(Long.getLong("stormSeed", 8)).longs(count).boxed().toList();
  }

  private final Map<String, DriverStorm.Disk> disks = new TreeMap<>();
  private final Map<String, DriverStorm.Node> incarnations = new TreeMap<>();
  private int first;
  private int started;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void gridSurvivesTheRestartOfAllNodes(long seed) {
    DriverStorm storm = new DriverStorm(seed);
    Random random = storm.random;
    first = 1 + random.nextInt(MAX_NODES);
    for (int i = 0; i < first; i++) {
      start(storm, "n" + i);
    }
    storm.viewToAll(storm.up());
    storm.advanceTime(1_500);
    DriverStorm.Node one = incarnations.values().iterator().next();
    UUID grid = one.current().gridId();
    assertThat(storm.latest(grid).members()).hasSize(first);
    one.driver.reportWrite();
    storm.advanceTime(1_500);
    assertThat(storm.latest(grid).gridDefinition().isWritten()).isTrue();
    for (int step = 0; step < STEP_COUNT; step++) {
      performRandomEvent(storm, random);
      storm.advanceTime(50 + random.nextInt(800));
    }
    quiet(storm, grid);
  }

  private DriverStorm.Node start(DriverStorm storm, String name) {
    DriverStorm.Disk disk = disks.computeIfAbsent(name, same -> storm.new Disk());
    UUID node = UUID.nameUUIDFromBytes(new byte[] {(byte) name.charAt(1)});
    Member self =
        new Member(new UUID(storm.random.nextLong(), started++), node, name + "." + started);
    DriverStorm.Node restarted = storm.new Node(self, disk, first, false);
    incarnations.put(name, restarted);
    return restarted;
  }

  private DriverStorm.Node startIncarnation(String name) {
    return Objects.requireNonNull(incarnations.get(name));
  }

  private void performRandomEvent(DriverStorm storm, Random random) {
    List<String> names = new ArrayList<>(incarnations.keySet());
    Collections.shuffle(names, random);
    DriverStorm.Node one = startIncarnation(names.getFirst());
    List<DriverStorm.Node> up = new ArrayList<>(storm.up());
    Collections.shuffle(up, random);
    switch (random.nextInt(14)) {
      case 0, 1 -> {
        int some = random.nextInt(up.size() + 1);
        storm.heal();
        storm.cut(up.subList(0, some), up.subList(some, up.size()));
      }
      case 2, 3 -> storm.heal();
      case 4 -> one.freeze(random.nextInt(3_000));
      case 5 -> one.view(up.stream().filter(n -> n == one || random.nextInt(4) > 0).toList());
      case 6 -> {
        storm.lossPercent = random.nextInt(3) * 15;
        storm.doublePercent = random.nextInt(3) * 10;
        storm.maxDelayMillis = random.nextBoolean() ? 5 : 400;
      }
      case 7 -> up.forEach(DriverStorm.Node::crash);
      case 8, 9 -> one.crash();
      case 10 ->
          one.driver.reportCacheRequested(
              new CacheDefinition("c" + random.nextInt(20), CacheConfig.distributed().segments(3)));
      default -> {
        for (String name : names) {
          if (!startIncarnation(name).running && random.nextInt(3) > 0) {
            start(storm, name);
          }
        }
        storm.viewToAll(storm.up());
      }
    }
  }

  private static String known(DriverStorm storm) {
    return storm.up().stream()
        .map(node -> node.self + ": " + node.current().number() + node.current().membership())
        .collect(Collectors.joining("\n"));
  }

  private void quiet(DriverStorm storm, UUID grid) {
    storm.heal();
    storm.lossPercent = 0;
    storm.doublePercent = 0;
    storm.maxDelayMillis = 5;
    for (String name : List.copyOf(incarnations.keySet())) {
      if (!startIncarnation(name).running) {
        start(storm, name);
      }
    }
    storm.viewToAll(storm.up());
    storm.advanceTime(30_000);
    Topology latest = storm.latest(grid);
    List<Member> up = storm.up().stream().map(node -> node.self).toList();
    assertThat(up).hasSize(first);
    assertThat(latest.members())
        .as(() -> latest + " is not what they know: " + known(storm))
        .containsExactlyInAnyOrderElementsOf(up);
    assertThat(latest.membership().voters()).hasSize(first);
    for (DriverStorm.Node node : storm.up()) {
      assertThat(node.current()).isEqualTo(latest);
      assertThat(node.driver.lease().isHeld()).as("lease of %s", node.self).isTrue();
      assertThat(node.foreign).isZero();
    }
  }
}
