package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Nodes join and leave as they should, only many at once.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class MemberFaults {

  private final Scene scene;
  private final ChaosSettings settings;
  private final Fleet fleet;
  private final FaultLog log;
  private final SplittableRandom random;

  MemberFaults(Scene scene) {
    this.scene = scene;
    settings = scene.settings();
    fleet = scene.fleet();
    log = scene.log();
    random = scene.random();
  }

  /** The spares join at once and leave at once. */
  void joinStorm() throws ChaosException, InterruptedException {
    List<NodeProcess> spares = new ArrayList<>();
    for (int place = settings.nodes(); place < settings.places(); place++) {
      NodeProcess spare = fleet.start(place);
      log.begin(FaultKind.JOIN_STORM, spare);
      spares.add(spare);
    }
    for (NodeProcess spare : spares) {
      fleet.awaitJoined(spare);
    }
    Thread.sleep(random.nextLong(1_000));
    spares.forEach(NodeProcess::leave);
    fleet.awaitLeft(spares);
    for (NodeProcess spare : spares) {
      log.end(FaultKind.JOIN_STORM, spare);
    }
    scene.count(FaultKind.JOIN_STORM);
  }

  /** Each node in turn leaves, and another process takes its place. */
  void rollingRestart() throws ChaosException, InterruptedException {
    for (int place = 0; place < settings.nodes(); place++) {
      NodeProcess node = fleet.at(place);
      log.begin(FaultKind.ROLLING_RESTART, node);
      node.leave();
      fleet.awaitLeft(List.of(node));
      fleet.join(List.of(place));
      log.end(FaultKind.ROLLING_RESTART, node);
    }
    scene.count(FaultKind.ROLLING_RESTART);
  }

  /** All but one leave, one after another, without waiting for each other. */
  void scaleDown() throws ChaosException, InterruptedException {
    List<Integer> places = new ArrayList<>(IntStream.range(0, settings.nodes()).boxed().toList());
    Collections.shuffle(places, new Random(random.nextLong()));
    List<Integer> going = places.subList(1, places.size());
    List<NodeProcess> leaving = new ArrayList<>();
    for (int place : going) {
      NodeProcess node = fleet.at(place);
      log.begin(FaultKind.SCALE_DOWN, node);
      node.leave();
      leaving.add(node);
    }
    fleet.awaitLeft(leaving);
    fleet.join(going);
    for (NodeProcess node : leaving) {
      log.end(FaultKind.SCALE_DOWN, node);
    }
    scene.count(FaultKind.SCALE_DOWN);
  }
}
