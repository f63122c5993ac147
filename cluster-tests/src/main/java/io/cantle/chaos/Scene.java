package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

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
    this(settings, network, fleet, log, random, new Failovers(log), new EnumMap<>(FaultKind.class));
  }

  /** A key with its primary, and another node to see when the key has a new one. */
  record Target(String key, NodeProcess primary, NodeProcess witness) {}

  /** One more of a kind. */
  void count(FaultKind kind) {
    counts.merge(kind, 1L, Long::sum);
  }

  /** A key, whose primary is to fail. */
  Target target() throws ChaosException, InterruptedException {
    return target(_ -> true, _ -> true);
  }

  /** A key, whose primary is to fail and one of some, and a witness that is one of others. */
  Target target(Predicate<NodeProcess> fails, Predicate<NodeProcess> sees)
      throws ChaosException, InterruptedException {
    List<NodeProcess> present = fleet.present();
    List<NodeProcess> witnesses = present.stream().filter(sees).toList();
    for (int tries = 0; tries < 200 && !witnesses.isEmpty(); tries++) {
      NodeProcess witness = witnesses.get(random.nextInt(witnesses.size()));
      String key = Keys.probe(random.nextInt(Keys.PROBES));
      Optional<NodeProcess> primary = fleet.primary(key, witness).filter(fails);
      if (primary.isPresent()
          && primary.get() != witness
          && present.contains(primary.get())
          && primary.get().place() < settings.nodes()) {
        return new Target(key, primary.get(), witness);
      }
    }
    throw new ChaosException(ChaosException.FAILED, "no key has a primary that could fail");
  }

  /** A node that writes a key until that has worked. */
  record Probe(
      Failovers.Cause cause,
      NodeProcess writer,
      String key,
      long began,
      CompletableFuture<JsonLine> answer) {}

  /** Has the witness write the key, whose primary has just failed. */
  Probe probe(Failovers.Cause cause, Target target, long began) {
    return probe(cause, target.witness, target.key, began);
  }

  /** Has a node write a key. */
  Probe probe(Failovers.Cause cause, NodeProcess writer, String key, long began) {
    return new Probe(
        cause, writer, key, began, writer.order(Order.PROBE, JsonLine.empty().with("key", key)));
  }

  /** Notes how long it took until the key had been written. */
  void await(Probe probe) throws ChaosException, InterruptedException {
    long written =
        ChildProcess.await(probe.answer, PROBE_PATIENCE)
            .orElseThrow(
                () ->
                    new ChaosException(
                        ChaosException.FAILED,
                        probe.key
                            + " cannot be written by "
                            + probe.writer.settings().file()
                            + " within "
                            + PROBE_PATIENCE.toSeconds()
                            + " s ("
                            + probe.cause
                            + ")"))
            .number("time");
    failovers.took(probe.cause, probe.key, written - probe.began);
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

  /**
   * Kills a bystander, primary of a key itself, in the middle of another fault, and starts it again
   * at once.
   */
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
    NodeProcess dies = victim.get();
    Target second = target(node -> node == dies, node -> node == target.witness);
    long began = System.nanoTime();
    log.begin(kind, dies);
    dies.kill();
    count(kind);
    Probe probe = probe(Failovers.Cause.SECOND, second, began);
    NodeProcess again = fleet.start(dies.place());
    log.end(kind, dies);
    await(probe);
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
