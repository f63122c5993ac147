package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Injects faults, one episode after another, each drawn from the seed. An episode never affects
 * more nodes than the grid survives. It ends when everything has recovered, and that recovery is
 * part of what is checked. Kinds are drawn in rounds, so that none is left out.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class Nemesis {
  private final Consumer<String> progress;

  /**
   * Draws only the kinds, because how often anything else is drawn depends on the answers of the
   * nodes.
   */
  private final SplittableRandom kinds;

  private final FaultContext context;
  private final List<FaultKind> round = new ArrayList<>();

  Nemesis(
      ChaosSettings settings,
      TestNetwork network,
      NodeFleet fleet,
      FaultLog log,
      Consumer<String> progress) {
    this.progress = progress;
    this.kinds = new SplittableRandom(settings.seed());
    this.context = new FaultContext(settings, network, fleet, log, kinds.split());
  }

  /** Returns how often each kind was done. */
  Map<FaultKind, Long> episodeCounts() {
    return context.counts();
  }

  FailoverTimes failovers() {
    return context.failovers();
  }

  /** Runs one episode, until everything has recovered. */
  void runEpisode() throws ChaosException, InterruptedException {
    FaultKind kind = drawKind();
    progress.accept(kind.plural());
    SplittableRandom random = context.random();
    int nodes = context.settings().nodes();
    switch (kind) {
      case KILL_AND_RESTART_AT_ONCE, KILL_AND_RESTART_LATER ->
          new ProcessFaults(context).kill(kind);
      case PAUSE -> new ProcessFaults(context).pause();
      case HALVES -> new LinkFaults(context).cut(kind, PartitionShape.halves(nodes, random));
      case BRIDGE -> new LinkFaults(context).cut(kind, PartitionShape.bridge(nodes, random));
      case RING -> new LinkFaults(context).cut(kind, PartitionShape.ring(nodes, random));
      case ONE_WAY ->
          new LinkFaults(context)
              .cut(kind, PartitionShape.oneWay(nodes, random.nextInt(nodes), random.nextBoolean()));
      case ISOLATE -> new LinkFaults(context).isolate();
      case FLAP -> new LinkFaults(context).flap();
      case JOIN_STORM -> new MemberFaults(context).joinStorm();
      case ROLLING_RESTART -> new MemberFaults(context).rollingRestart();
      case SCALE_DOWN -> new MemberFaults(context).scaleDown();
    }
    context.fleet().awaitSettled();
    Thread.sleep(random.nextLong(200, 1_500));
  }

  private FaultKind drawKind() {
    if (round.isEmpty()) {
      // Drawn from the end: each kind once, so that a short run has seen all of them, then the
      // rest.
      Random shuffles = new Random(kinds.nextLong());
      List<FaultKind> once = new ArrayList<>();
      for (FaultKind kind : FaultKind.values()) {
        if (context.settings().faults().contains(kind)) {
          once.add(kind);
          round.addAll(Collections.nCopies(kind.share() - 1, kind));
        }
      }
      Collections.shuffle(round, shuffles);
      Collections.shuffle(once, shuffles);
      round.addAll(once);
    }
    return round.removeLast();
  }
}
