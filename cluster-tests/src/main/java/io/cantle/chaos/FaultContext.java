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
 * @param random draws everything except the kinds
 * @param counts how often each kind was done
 */
record FaultContext(
    ChaosSettings settings,
    TestNetwork network,
    NodeFleet fleet,
    FaultLog log,
    SplittableRandom random,
    FailoverTimes failovers,
    Map<FaultKind, Long> counts) {
  private static final Duration PROBE_TIMEOUT = Duration.ofMinutes(1);

  FaultContext(
      ChaosSettings settings,
      TestNetwork network,
      NodeFleet fleet,
      FaultLog log,
      SplittableRandom random) {
    this(
        settings,
        network,
        fleet,
        log,
        random,
        new FailoverTimes(log),
        new EnumMap<>(FaultKind.class));
  }

  /** A key with its primary, and another node that observes when the key has a new one. */
  record Target(String key, ChaosNodeProcess primary, ChaosNodeProcess witness) {}

  /** Counts one more episode of a kind. */
  void countEpisode(FaultKind kind) {
    counts.merge(kind, 1L, Long::sum);
  }

  /** Chooses a key whose primary is to fail. */
  Target chooseTarget() throws ChaosException, InterruptedException {
    return chooseTarget(_ -> true, _ -> true);
  }

  /**
   * Chooses a key whose primary satisfies {@code fails}, and a witness that satisfies {@code sees}.
   */
  Target chooseTarget(Predicate<ChaosNodeProcess> fails, Predicate<ChaosNodeProcess> sees)
      throws ChaosException, InterruptedException {
    List<ChaosNodeProcess> present = fleet.presentNodes();
    List<ChaosNodeProcess> witnesses = present.stream().filter(sees).toList();
    for (int tries = 0; tries < 200 && !witnesses.isEmpty(); tries++) {
      ChaosNodeProcess witness = witnesses.get(random.nextInt(witnesses.size()));
      String key = KeyGenerations.probeKey(random.nextInt(KeyGenerations.PROBE_COUNT));
      Optional<ChaosNodeProcess> primary = fleet.primaryOf(key, witness).filter(fails);
      if (primary.isPresent()
          && primary.get() != witness
          && present.contains(primary.get())
          && primary.get().placeNumber() < settings.nodes()) {
        return new Target(key, primary.get(), witness);
      }
    }
    throw new ChaosException(ChaosException.FAILED_STATUS, "no key has a primary that could fail");
  }

  /** A node that writes a key until it succeeds. */
  record Probe(
      FailoverTimes.Cause cause,
      ChaosNodeProcess writer,
      String key,
      long beganNanos,
      CompletableFuture<JsonLine> answer) {}

  /** Has the witness write the key whose primary has just failed. */
  Probe startProbe(FailoverTimes.Cause cause, Target target, long began) {
    return startProbe(cause, target.witness, target.key, began);
  }

  /** Has a node write a key. */
  Probe startProbe(FailoverTimes.Cause cause, ChaosNodeProcess writer, String key, long began) {
    return new Probe(
        cause,
        writer,
        key,
        began,
        writer.order(NodeOrder.PROBE, JsonLine.empty().with("key", key)));
  }

  /** Records how long it took until the key had been written. */
  void awaitProbe(Probe probe) throws ChaosException, InterruptedException {
    long written =
        ChildProcess.await(probe.answer, PROBE_TIMEOUT)
            .orElseThrow(
                () ->
                    new ChaosException(
                        ChaosException.FAILED_STATUS,
                        probe.key
                            + " cannot be written by "
                            + probe.writer.settings().historyFile()
                            + " within "
                            + PROBE_TIMEOUT.toSeconds()
                            + " s ("
                            + probe.cause
                            + ")"))
            .number("time");
    failovers.recordTime(probe.cause, probe.key, written - probe.beganNanos);
  }

  /** Returns a working node that is neither the primary nor the witness of a target. */
  Optional<ChaosNodeProcess> chooseBystander(Target target) {
    List<ChaosNodeProcess> others =
        fleet.presentNodes().stream()
            .filter(node -> node != target.witness && node != target.primary)
            .filter(node -> node.placeNumber() < settings.nodes())
            .toList();
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(others.get(random.nextInt(others.size())));
  }

  /**
   * Kills a bystander, which is itself the primary of a key, in the middle of another fault. It is
   * restarted at once.
   */
  Optional<ChaosNodeProcess> killBystander(Target target)
      throws ChaosException, InterruptedException {
    FaultKind kind = FaultKind.KILL_AND_RESTART_AT_ONCE;
    Optional<ChaosNodeProcess> victim =
        settings.expendableNodes() > 1 && settings.faults().contains(kind)
            ? chooseBystander(target)
            : Optional.empty();
    if (victim.isEmpty()) {
      return victim;
    }
    Thread.sleep(random.nextLong(3_000));
    ChaosNodeProcess dies = victim.get();
    Target second = chooseTarget(node -> node == dies, node -> node == target.witness);
    long began = System.nanoTime();
    log.recordBegin(kind, dies);
    dies.kill();
    countEpisode(kind);
    Probe probe = startProbe(FailoverTimes.Cause.SECOND, second, began);
    ChaosNodeProcess again = fleet.start(dies.placeNumber());
    log.recordEnd(kind, dies);
    awaitProbe(probe);
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
