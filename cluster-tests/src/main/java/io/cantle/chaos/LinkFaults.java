package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Links are cut and healed.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class LinkFaults {
  private static final long SHORTEST_CUT_MILLIS = 3_000;
  private static final long LONGEST_CUT_MILLIS = 10_000;
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

  /** Cuts links for a while; where some nodes have lost the majority, a primary is one of them. */
  void cut(FaultKind kind, Set<Network.Link> links) throws ChaosException, InterruptedException {
    Set<Integer> lost = Shape.withoutMajority(settings.nodes(), links);
    if (lost.isEmpty() || lost.size() == settings.nodes()) {
      log.cut(kind, links);
      network.cut(links);
      Thread.sleep(random.nextLong(SHORTEST_CUT_MILLIS, LONGEST_CUT_MILLIS));
      heal(kind);
      return;
    }
    Scene.Target target =
        scene.target(
            node -> lost.contains(node.place()),
            node -> !lost.contains(node.place()) && node.place() < settings.nodes());
    Optional<NodeProcess> again = cutOff(kind, links, target, false);
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  /** Cuts a primary off. */
  void isolate() throws ChaosException, InterruptedException {
    Scene.Target target = scene.target();
    Set<Network.Link> links = Shape.without(settings.nodes(), target.primary().place());
    Optional<NodeProcess> again = cutOff(FaultKind.ISOLATE, links, target, random.nextInt(3) == 0);
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  private Optional<NodeProcess> cutOff(
      FaultKind kind, Set<Network.Link> links, Scene.Target target, boolean kills)
      throws ChaosException, InterruptedException {
    long began = System.nanoTime();
    long millis = random.nextLong(SHORTEST_CUT_MILLIS, LONGEST_CUT_MILLIS);
    log.cut(kind, links);
    network.cut(links);
    Scene.Probe probe = scene.probe(Failovers.Cause.CUT, target, began);
    Optional<NodeProcess> again = kills ? scene.killBystander(target) : Optional.empty();
    Scene.sleepUntil(began + Duration.ofMillis(millis).toNanos());
    heal(kind);
    scene.await(probe);
    return again;
  }

  /** Cuts a node off for a second, several times. */
  void flap() throws ChaosException, InterruptedException {
    Set<Network.Link> links = Shape.without(settings.nodes(), random.nextInt(settings.nodes()));
    for (int i = random.nextInt(3, 6); i > 0; i--) {
      log.cut(FaultKind.FLAP, links);
      network.cut(links);
      Thread.sleep(FLAP_MILLIS);
      if (i > 1) {
        network.cut(Set.of());
        log.cut(FaultKind.FLAP, Set.of());
        Thread.sleep(FLAP_MILLIS);
      }
    }
    heal(FaultKind.FLAP);
  }

  /** Ends all cuts, and has every node write. */
  private void heal(FaultKind kind) throws ChaosException, InterruptedException {
    long began = System.nanoTime();
    network.cut(Set.of());
    log.cut(kind, Set.of());
    scene.count(kind);
    List<Scene.Probe> probes =
        fleet.present().stream()
            .map(
                node ->
                    scene.probe(
                        Failovers.Cause.HEALING,
                        node,
                        Keys.probe(random.nextInt(Keys.PROBES)),
                        began))
            .toList();
    for (Scene.Probe probe : probes) {
      scene.await(probe);
    }
  }
}
