package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The faults that kill and pause processes.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class ProcessFaults {
  private static final long MIN_PAUSE_MILLIS = 1_000;

  private final FaultContext context;
  private final ChaosSettings settings;
  private final NodeFleet fleet;
  private final FaultLog log;
  private final SplittableRandom random;

  ProcessFaults(FaultContext context) {
    this.context = context;
    settings = context.settings();
    fleet = context.fleet();
    log = context.log();
    random = context.random();
  }

  /** Kills a primary by SIGKILL, and starts a new process in its place. */
  void kill(FaultKind kind) throws ChaosException, InterruptedException {
    FaultContext.Target target = context.chooseTarget();
    // Now and then kills as many at once as an entry survives.
    Optional<ChaosNodeProcess> second =
        settings.expendableNodes() > 1 && random.nextInt(4) == 0
            ? context.chooseBystander(target)
            : Optional.empty();
    List<ChaosNodeProcess> dead = new ArrayList<>(List.of(target.primary()));
    second.ifPresent(dead::add);
    long began = System.nanoTime();
    for (ChaosNodeProcess node : dead) {
      log.recordBegin(kind, node);
      node.kill();
      context.countEpisode(kind);
    }
    FaultContext.Probe probe = context.startProbe(FailoverTimes.Cause.KILL, target, began);
    List<ChaosNodeProcess> again = new ArrayList<>();
    if (kind == FaultKind.KILL_AND_RESTART_AT_ONCE) {
      restart(dead, again);
    }
    context.awaitProbe(probe);
    if (again.isEmpty()) {
      // Sometimes the grid still handles the crash when the node restarts.
      Thread.sleep(random.nextLong(2_000));
      restart(dead, again);
    }
    for (ChaosNodeProcess node : dead) {
      log.recordEnd(kind, node);
    }
    for (ChaosNodeProcess node : again) {
      fleet.awaitWorking(node);
    }
  }

  private void restart(List<ChaosNodeProcess> dead, List<ChaosNodeProcess> again)
      throws ChaosException {
    for (ChaosNodeProcess node : dead) {
      again.add(fleet.start(node.placeNumber()));
    }
  }

  /** Pauses a primary by SIGSTOP until a later SIGCONT; something else may fail in between. */
  void pause() throws ChaosException, InterruptedException {
    FaultContext.Target target = context.chooseTarget();
    long end = System.nanoTime() + Duration.ofMillis(drawPauseMillis()).toNanos();
    List<ChaosNodeProcess> still = new ArrayList<>();
    long began = System.nanoTime();
    pauseNode(target.primary(), still);
    FaultContext.Probe probe = context.startProbe(FailoverTimes.Cause.PAUSE, target, began);
    Optional<ChaosNodeProcess> again = Optional.empty();
    switch (random.nextInt(3)) {
      case 0 -> again = context.killBystander(target);
      case 1 -> {
        Optional<ChaosNodeProcess> other =
            settings.expendableNodes() > 1 ? context.chooseBystander(target) : Optional.empty();
        if (other.isPresent()) {
          Thread.sleep(random.nextLong(1_000));
          pauseNode(other.get(), still);
        }
      }
      default -> {}
    }
    FaultContext.sleepUntil(end);
    List<FaultContext.Probe> awake = new ArrayList<>();
    for (ChaosNodeProcess node : still) {
      long woken = System.nanoTime();
      node.resume();
      log.recordEnd(FaultKind.PAUSE, node);
      awake.add(context.startProbe(FailoverTimes.Cause.WAKING, node, target.key(), woken));
    }
    context.awaitProbe(probe);
    for (FaultContext.Probe one : awake) {
      context.awaitProbe(one);
    }
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  /** Draws the length of a pause. Short pauses are more frequent than long ones. */
  private long drawPauseMillis() {
    double drawn = random.nextDouble();
    long maxMillis = settings.longestPause().toMillis();
    return MIN_PAUSE_MILLIS + (long) (drawn * drawn * (maxMillis - MIN_PAUSE_MILLIS));
  }

  private void pauseNode(ChaosNodeProcess node, List<ChaosNodeProcess> still)
      throws ChaosException, InterruptedException {
    log.recordBegin(FaultKind.PAUSE, node);
    node.pause();
    still.add(node);
    context.countEpisode(FaultKind.PAUSE);
  }
}
