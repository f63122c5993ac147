package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The faults in which nodes join and leave properly, but many at once.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class MemberFaults {

  private final FaultContext context;
  private final ChaosSettings settings;
  private final NodeFleet fleet;
  private final FaultLog log;
  private final SplittableRandom random;

  MemberFaults(FaultContext context) {
    this.context = context;
    settings = context.settings();
    fleet = context.fleet();
    log = context.log();
    random = context.random();
  }

  /** Lets the spare nodes join at once and leave at once. */
  void joinStorm() throws ChaosException, InterruptedException {
    List<ChaosNodeProcess> spares = new ArrayList<>();
    for (int place = settings.nodes(); place < settings.placeCount(); place++) {
      ChaosNodeProcess spare = fleet.start(place);
      log.recordBegin(FaultKind.JOIN_STORM, spare);
      spares.add(spare);
    }
    for (ChaosNodeProcess spare : spares) {
      fleet.awaitJoined(spare);
    }
    Thread.sleep(random.nextLong(1_000));
    spares.forEach(ChaosNodeProcess::orderLeave);
    fleet.awaitLeft(spares);
    for (ChaosNodeProcess spare : spares) {
      log.recordEnd(FaultKind.JOIN_STORM, spare);
    }
    context.countEpisode(FaultKind.JOIN_STORM);
  }

  /** Lets each node in turn leave, and another process take its place. */
  void rollingRestart() throws ChaosException, InterruptedException {
    for (int place = 0; place < settings.nodes(); place++) {
      ChaosNodeProcess node = fleet.nodeAt(place);
      log.recordBegin(FaultKind.ROLLING_RESTART, node);
      node.orderLeave();
      fleet.awaitLeft(List.of(node));
      fleet.join(List.of(place));
      log.recordEnd(FaultKind.ROLLING_RESTART, node);
    }
    context.countEpisode(FaultKind.ROLLING_RESTART);
  }

  /** Lets all nodes but one leave, one after another, without waiting for each other. */
  void scaleDown() throws ChaosException, InterruptedException {
    List<Integer> places = new ArrayList<>(IntStream.range(0, settings.nodes()).boxed().toList());
    Collections.shuffle(places, new Random(random.nextLong()));
    List<Integer> going = places.subList(1, places.size());
    List<ChaosNodeProcess> leaving = new ArrayList<>();
    for (int place : going) {
      ChaosNodeProcess node = fleet.nodeAt(place);
      log.recordBegin(FaultKind.SCALE_DOWN, node);
      node.orderLeave();
      leaving.add(node);
    }
    fleet.awaitLeft(leaving);
    fleet.join(going);
    for (ChaosNodeProcess node : leaving) {
      log.recordEnd(FaultKind.SCALE_DOWN, node);
    }
    context.countEpisode(FaultKind.SCALE_DOWN);
  }
}
