package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Processes die and stand still.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class ProcessFaults {
  private static final long SHORTEST_PAUSE_MILLIS = 1_000;

  private final Scene scene;
  private final ChaosSettings settings;
  private final Fleet fleet;
  private final FaultLog log;
  private final SplittableRandom random;

  ProcessFaults(Scene scene) {
    this.scene = scene;
    settings = scene.settings();
    fleet = scene.fleet();
    log = scene.log();
    random = scene.random();
  }

  /** SIGKILL of a primary, and a new process in its place. */
  void kill(FaultKind kind) throws ChaosException, InterruptedException {
    Scene.Target target = scene.target();
    // As many at once as an entry survives, now and then.
    Optional<NodeProcess> second =
        settings.expendable() > 1 && random.nextInt(4) == 0
            ? scene.bystander(target)
            : Optional.empty();
    List<NodeProcess> dead = new ArrayList<>(List.of(target.primary()));
    second.ifPresent(dead::add);
    long began = System.nanoTime();
    for (NodeProcess node : dead) {
      log.begin(kind, node);
      node.kill();
      scene.count(kind);
    }
    Scene.Probe probe = scene.probe(Failovers.Cause.KILL, target, began);
    List<NodeProcess> again = new ArrayList<>();
    if (kind == FaultKind.KILL_AND_RESTART_AT_ONCE) {
      startAgain(dead, again);
    }
    scene.await(probe);
    if (again.isEmpty()) {
      // Sometimes the grid is still busy with the death when the node returns.
      Thread.sleep(random.nextLong(2_000));
      startAgain(dead, again);
    }
    for (NodeProcess node : dead) {
      log.end(kind, node);
    }
    for (NodeProcess node : again) {
      fleet.awaitWorking(node);
    }
  }

  private void startAgain(List<NodeProcess> dead, List<NodeProcess> again) throws ChaosException {
    for (NodeProcess node : dead) {
      again.add(fleet.start(node.place()));
    }
  }

  /** SIGSTOP of a primary, SIGCONT later; something else may fail in between. */
  void pause() throws ChaosException, InterruptedException {
    Scene.Target target = scene.target();
    long end = System.nanoTime() + Duration.ofMillis(pauseMillis()).toNanos();
    List<NodeProcess> still = new ArrayList<>();
    long began = System.nanoTime();
    stop(target.primary(), still);
    Scene.Probe probe = scene.probe(Failovers.Cause.PAUSE, target, began);
    Optional<NodeProcess> again = Optional.empty();
    switch (random.nextInt(3)) {
      case 0 -> again = scene.killBystander(target);
      case 1 -> {
        Optional<NodeProcess> other =
            settings.expendable() > 1 ? scene.bystander(target) : Optional.empty();
        if (other.isPresent()) {
          Thread.sleep(random.nextLong(1_000));
          stop(other.get(), still);
        }
      }
      default -> {}
    }
    Scene.sleepUntil(end);
    List<Scene.Probe> awake = new ArrayList<>();
    for (NodeProcess node : still) {
      long woken = System.nanoTime();
      node.resume();
      log.end(FaultKind.PAUSE, node);
      awake.add(scene.probe(Failovers.Cause.WAKING, node, target.key(), woken));
    }
    scene.await(probe);
    for (Scene.Probe one : awake) {
      scene.await(one);
    }
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  /** Short pauses are more frequent than long ones. */
  private long pauseMillis() {
    double drawn = random.nextDouble();
    long most = settings.longestPause().toMillis();
    return SHORTEST_PAUSE_MILLIS + (long) (drawn * drawn * (most - SHORTEST_PAUSE_MILLIS));
  }

  private void stop(NodeProcess node, List<NodeProcess> still)
      throws ChaosException, InterruptedException {
    log.begin(FaultKind.PAUSE, node);
    node.pause();
    still.add(node);
    scene.count(FaultKind.PAUSE);
  }
}
