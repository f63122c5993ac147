package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The faults that cut and heal links.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class LinkFaults {
  private static final long MIN_CUT_MILLIS = 3_000;
  private static final long MAX_CUT_MILLIS = 10_000;
  private static final long FLAP_INTERVAL_MILLIS = 1_000;

  private final FaultContext context;
  private final ChaosSettings settings;
  private final NodeFleet fleet;
  private final FaultLog log;
  private final SplittableRandom random;
  private final TestNetwork network;

  LinkFaults(FaultContext context) {
    this.context = context;
    settings = context.settings();
    fleet = context.fleet();
    log = context.log();
    random = context.random();
    network = context.network();
  }

  /** Cuts links for a while. If some nodes lose the majority, a primary is one of them. */
  void cut(FaultKind kind, Set<TestNetwork.Link> links)
      throws ChaosException, InterruptedException {
    Set<Integer> lost = PartitionShape.nodesWithoutMajority(settings.nodes(), links);
    if (lost.isEmpty() || lost.size() == settings.nodes()) {
      log.recordCut(kind, links);
      network.setCuts(links);
      Thread.sleep(random.nextLong(MIN_CUT_MILLIS, MAX_CUT_MILLIS));
      heal(kind);
      return;
    }
    FaultContext.Target target =
        context.chooseTarget(
            node -> lost.contains(node.placeNumber()),
            node -> !lost.contains(node.placeNumber()) && node.placeNumber() < settings.nodes());
    Optional<ChaosNodeProcess> again = cutOff(kind, links, target, false);
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  /** Cuts a primary off. */
  void isolate() throws ChaosException, InterruptedException {
    FaultContext.Target target = context.chooseTarget();
    Set<TestNetwork.Link> links =
        PartitionShape.isolated(settings.nodes(), target.primary().placeNumber());
    Optional<ChaosNodeProcess> again =
        cutOff(FaultKind.ISOLATE, links, target, random.nextInt(3) == 0);
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  private Optional<ChaosNodeProcess> cutOff(
      FaultKind kind, Set<TestNetwork.Link> links, FaultContext.Target target, boolean kills)
      throws ChaosException, InterruptedException {
    long began = System.nanoTime();
    long millis = random.nextLong(MIN_CUT_MILLIS, MAX_CUT_MILLIS);
    log.recordCut(kind, links);
    network.setCuts(links);
    FaultContext.Probe probe = context.startProbe(FailoverTimes.Cause.CUT, target, began);
    Optional<ChaosNodeProcess> again = kills ? context.killBystander(target) : Optional.empty();
    FaultContext.sleepUntil(began + Duration.ofMillis(millis).toNanos());
    heal(kind);
    context.awaitProbe(probe);
    return again;
  }

  /** Cuts a node off for a second, several times. */
  void flap() throws ChaosException, InterruptedException {
    Set<TestNetwork.Link> links =
        PartitionShape.isolated(settings.nodes(), random.nextInt(settings.nodes()));
    for (int i = random.nextInt(3, 6); i > 0; i--) {
      log.recordCut(FaultKind.FLAP, links);
      network.setCuts(links);
      Thread.sleep(FLAP_INTERVAL_MILLIS);
      if (i > 1) {
        network.setCuts(Set.of());
        log.recordCut(FaultKind.FLAP, Set.of());
        Thread.sleep(FLAP_INTERVAL_MILLIS);
      }
    }
    heal(FaultKind.FLAP);
  }

  /** Ends all cuts, and has every node write. */
  private void heal(FaultKind kind) throws ChaosException, InterruptedException {
    long began = System.nanoTime();
    network.setCuts(Set.of());
    log.recordCut(kind, Set.of());
    context.countEpisode(kind);
    List<FaultContext.Probe> probes =
        fleet.presentNodes().stream()
            .map(
                node ->
                    context.startProbe(
                        FailoverTimes.Cause.HEALING,
                        node,
                        KeyGenerations.probeKey(random.nextInt(KeyGenerations.PROBE_COUNT)),
                        began))
            .toList();
    for (FaultContext.Probe probe : probes) {
      context.awaitProbe(probe);
    }
  }
}
