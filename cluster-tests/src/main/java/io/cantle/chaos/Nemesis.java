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
 * Makes faults, one episode after another, each drawn from the seed. An episode never takes more
 * nodes than the grid survives, and ends when everything is whole again; that this happens is part
 * of what is checked. Kinds come in rounds, so that none is forgotten.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class Nemesis {
  private final Consumer<String> progress;

  /** Draws the kinds alone: how often anything else is drawn depends on what the nodes answer. */
  private final SplittableRandom kinds;

  private final Scene scene;
  private final List<FaultKind> round = new ArrayList<>();

  Nemesis(
      ChaosSettings settings,
      Network network,
      Fleet fleet,
      FaultLog log,
      Consumer<String> progress) {
    this.progress = progress;
    this.kinds = new SplittableRandom(settings.seed());
    this.scene = new Scene(settings, network, fleet, log, kinds.split());
  }

  /** How often each kind was done. */
  Map<FaultKind, Long> counts() {
    return scene.counts();
  }

  Failovers failovers() {
    return scene.failovers();
  }

  /** One episode, until everything is whole again. */
  void episode() throws ChaosException, InterruptedException {
    FaultKind kind = draw();
    progress.accept(kind.plural());
    SplittableRandom random = scene.random();
    int nodes = scene.settings().nodes();
    switch (kind) {
      case KILL_AND_RESTART_AT_ONCE, KILL_AND_RESTART_LATER -> new ProcessFaults(scene).kill(kind);
      case PAUSE -> new ProcessFaults(scene).pause();
      case HALVES -> new LinkFaults(scene).cut(kind, Shape.halves(nodes, random));
      case BRIDGE -> new LinkFaults(scene).cut(kind, Shape.bridge(nodes, random));
      case RING -> new LinkFaults(scene).cut(kind, Shape.ring(nodes, random));
      case ONE_WAY ->
          new LinkFaults(scene)
              .cut(kind, Shape.oneWay(nodes, random.nextInt(nodes), random.nextBoolean()));
      case ISOLATE -> new LinkFaults(scene).isolate();
      case FLAP -> new LinkFaults(scene).flap();
      case JOIN_STORM -> new MemberFaults(scene).joinStorm();
      case ROLLING_RESTART -> new MemberFaults(scene).rollingRestart();
      case SCALE_DOWN -> new MemberFaults(scene).scaleDown();
    }
    scene.fleet().awaitSettled();
    Thread.sleep(random.nextLong(200, 1_500));
  }

  private FaultKind draw() {
    if (round.isEmpty()) {
      // Drawn from the end: each kind once, so that a short run has seen all of them, then the
      // rest.
      Random shuffles = new Random(kinds.nextLong());
      List<FaultKind> once = new ArrayList<>();
      for (FaultKind kind : FaultKind.values()) {
        if (scene.settings().faults().contains(kind)) {
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
