package io.cantle.chaos;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * What every fault needs: the nodes, the seed, the log, and a victim with a witness.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 *
 * @param random whatever is drawn but the kinds
 * @param counts how often each kind was done
 */
record Scene(
    ChaosSettings settings,
    Network network,
    Fleet fleet,
    FaultLog log,
    SplittableRandom random,
    Failovers failovers,
    Map<FaultKind, Long> counts) {
  private static final Duration PROBE_PATIENCE = Duration.ofMinutes(1);

  Scene(
      ChaosSettings settings, Network network, Fleet fleet, FaultLog log, SplittableRandom random) {
    this(settings, network, fleet, log, random, new Failovers(), new EnumMap<>(FaultKind.class));
  }

  /** A key with its primary, and another node to see when the key has a new one. */
  record Target(String key, NodeProcess primary, NodeProcess witness) {}

  /** One more of a kind. */
  void count(FaultKind kind) {
    counts.merge(kind, 1L, Long::sum);
  }

  /** A key, whose primary is to fail. */
  Target target() throws ChaosException, InterruptedException {
    for (int tries = 0; tries < 100; tries++) {
      List<NodeProcess> present = fleet.present();
      NodeProcess witness = present.get(random.nextInt(present.size()));
      String key = Keys.probe(random.nextInt(Keys.PROBES));
      Optional<NodeProcess> primary = fleet.primary(key, witness);
      if (primary.isPresent()
          && primary.get() != witness
          && present.contains(primary.get())
          && primary.get().place() < settings.nodes()) {
        return new Target(key, primary.get(), witness);
      }
    }
    throw new ChaosException(ChaosException.FAILED, "no key has a primary that could fail");
  }

  /** Has the witness write the key until that has worked. */
  CompletableFuture<JsonLine> probe(Target target) {
    return target.witness.order(Order.PROBE, JsonLine.empty().with("key", target.key));
  }

  /** When the key had been written. */
  long awaitProbe(Target target, CompletableFuture<JsonLine> probe)
      throws ChaosException, InterruptedException {
    return NodeProcess.await(probe, PROBE_PATIENCE)
        .orElseThrow(
            () ->
                new ChaosException(
                    ChaosException.FAILED,
                    target.key
                        + " cannot be written by "
                        + target.witness.settings().file()
                        + " within "
                        + PROBE_PATIENCE.toSeconds()
                        + " s after "
                        + target.primary.settings().file()
                        + " failed"))
        .number("time");
  }

  /** A node that works and is neither of those of a target. */
  Optional<NodeProcess> bystander(Target target) {
    List<NodeProcess> others =
        fleet.present().stream()
            .filter(node -> node != target.witness && node != target.primary)
            .filter(node -> node.place() < settings.nodes())
            .toList();
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(others.get(random.nextInt(others.size())));
  }

  /** Kills a bystander in the middle of another fault, and starts it again at once. */
  Optional<NodeProcess> killBystander(Target target) throws ChaosException, InterruptedException {
    FaultKind kind = FaultKind.KILL_AND_RESTART_AT_ONCE;
    Optional<NodeProcess> victim =
        settings.expendable() > 1 && settings.faults().contains(kind)
            ? bystander(target)
            : Optional.empty();
    if (victim.isEmpty()) {
      return victim;
    }
    Thread.sleep(random.nextLong(3_000));
    log.begin(kind, victim.get());
    victim.get().kill();
    NodeProcess again = fleet.start(victim.get().place());
    count(kind);
    log.end(kind, victim.get());
    return Optional.of(again);
  }

  /** Waits until a moment; not at all if it has passed. */
  static void sleepUntil(long endNanos) throws InterruptedException {
    long left = endNanos - System.nanoTime();
    if (left > 0) {
      Thread.sleep(Duration.ofNanos(left));
    }
  }
}
