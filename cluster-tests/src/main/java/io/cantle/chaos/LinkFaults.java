package io.cantle.chaos;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Links are cut and healed.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class LinkFaults {
  private static final long SHORTEST_CUT_MILLIS = 3_000;
  private static final long LONGEST_CUT_MILLIS = 9_000;
  private static final long FLAP_MILLIS = 1_000;

  private final Scene scene;
  private final ChaosSettings settings;
  private final Fleet fleet;
  private final FaultLog log;
  private final SplittableRandom random;
  private final Network network;

  LinkFaults(Scene scene) {
    this.scene = scene;
    settings = scene.settings();
    fleet = scene.fleet();
    log = scene.log();
    random = scene.random();
    network = scene.network();
  }

  /** Cuts links for a while. */
  void cut(FaultKind kind, Set<Network.Link> links) throws ChaosException, InterruptedException {
    log.cut(kind, links);
    network.cut(links);
    Thread.sleep(random.nextLong(SHORTEST_CUT_MILLIS, LONGEST_CUT_MILLIS));
    heal(kind);
  }

  /** Cuts a primary off. */
  void isolate() throws ChaosException, InterruptedException {
    Scene.Target target = scene.target();
    Set<Network.Link> links = Shape.without(settings.nodes(), target.primary().place());
    long began = System.nanoTime();
    long end = began + Duration.ofMillis(random.nextLong(4_000, 10_000)).toNanos();
    log.cut(FaultKind.ISOLATE, links);
    network.cut(links);
    CompletableFuture<JsonLine> probe = scene.probe(target);
    Optional<NodeProcess> again =
        random.nextInt(3) == 0 ? scene.killBystander(target) : Optional.empty();
    Scene.sleepUntil(end);
    heal(FaultKind.ISOLATE);
    long writable = scene.awaitProbe(target, probe);
    if (again.isEmpty()) {
      scene.failovers().cut(writable - began);
    } else {
      fleet.awaitWorking(again.get());
    }
  }

  /** Cuts a node off for a second, several times. */
  void flap() throws ChaosException, InterruptedException {
    Set<Network.Link> links = Shape.without(settings.nodes(), random.nextInt(settings.nodes()));
    for (int i = random.nextInt(3, 6); i > 0; i--) {
      log.cut(FaultKind.FLAP, links);
      network.cut(links);
      Thread.sleep(FLAP_MILLIS);
      network.cut(Set.of());
      log.cut(FaultKind.FLAP, Set.of());
      Thread.sleep(FLAP_MILLIS);
    }
    scene.count(FaultKind.FLAP);
  }

  private void heal(FaultKind kind) throws ChaosException, InterruptedException {
    network.cut(Set.of());
    log.cut(kind, Set.of());
    scene.count(kind);
  }
}
