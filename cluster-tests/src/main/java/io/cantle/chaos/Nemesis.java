package io.cantle.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Makes faults, one episode after another, each drawn from the seed. An episode never takes more
 * nodes than the grid survives, and ends when everything is whole again; that this happens is part
 * of what is checked. Kinds come in rounds, so that none is forgotten.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class Nemesis {
  private static final Duration PROBE_PATIENCE = Duration.ofMinutes(1);
  private static final long SHORTEST_PAUSE_MILLIS = 1_000;
  private static final long SHORTEST_CUT_MILLIS = 3_000;
  private static final long LONGEST_CUT_MILLIS = 9_000;
  private static final long FLAP_MILLIS = 1_000;

  private final ChaosSettings settings;
  private final Network network;
  private final Fleet fleet;
  private final FaultLog log;
  private final Consumer<String> progress;

  /** Draws the kinds alone: how often anything else is drawn depends on what the nodes answer. */
  private final SplittableRandom kinds;

  private final SplittableRandom random;
  private final List<FaultKind> round = new ArrayList<>();
  private final Map<FaultKind, Long> counts = new EnumMap<>(FaultKind.class);
  private final Failovers failovers = new Failovers();

  Nemesis(
      ChaosSettings settings,
      Network network,
      Fleet fleet,
      FaultLog log,
      Consumer<String> progress) {
    this.settings = settings;
    this.network = network;
    this.fleet = fleet;
    this.log = log;
    this.progress = progress;
    this.kinds = new SplittableRandom(settings.seed());
    this.random = kinds.split();
  }

  Map<FaultKind, Long> counts() {
    return counts;
  }

  Failovers failovers() {
    return failovers;
  }

  /** One episode, until everything is whole again. */
  void episode() throws ChaosException, InterruptedException {
    FaultKind kind = draw();
    progress.accept(kind.plural());
    switch (kind) {
      case KILL_AND_RESTART_AT_ONCE, KILL_AND_RESTART_LATER -> kill(kind);
      case PAUSE -> pause();
      case HALVES -> cut(kind, Shape.halves(settings.nodes(), random));
      case BRIDGE -> cut(kind, Shape.bridge(settings.nodes(), random));
      case RING -> cut(kind, Shape.ring(settings.nodes(), random));
      case ISOLATE -> isolate();
      case ONE_WAY ->
          cut(
              kind,
              Shape.oneWay(
                  settings.nodes(), random.nextInt(settings.nodes()), random.nextBoolean()));
      case FLAP -> flap();
      case JOIN_STORM -> joinStorm();
      case ROLLING_RESTART -> rollingRestart();
      case SCALE_DOWN -> scaleDown();
    }
    fleet.awaitSettled();
    Thread.sleep(random.nextLong(200, 1_500));
  }

  private FaultKind draw() {
    if (round.isEmpty()) {
      for (FaultKind kind : FaultKind.values()) {
        if (settings.faults().contains(kind)) {
          round.addAll(Collections.nCopies(kind.share(), kind));
        }
      }
      Collections.shuffle(round, new Random(kinds.nextLong()));
    }
    return round.removeLast();
  }

  private void count(FaultKind kind) {
    counts.merge(kind, 1L, Long::sum);
  }

  /** A key with its primary, and another node to see when the key has a new one. */
  private record Target(String key, NodeProcess primary, NodeProcess witness) {}

  private Target target() throws ChaosException, InterruptedException {
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

  private CompletableFuture<JsonLine> probe(Target target) {
    return target.witness.order(Order.PROBE, JsonLine.empty().with("key", target.key));
  }

  private void kill(FaultKind kind) throws ChaosException, InterruptedException {
    Target target = target();
    // As many at once as an entry survives, now and then.
    Optional<NodeProcess> second =
        settings.expendable() > 1 && random.nextInt(4) == 0 ? bystander(target) : Optional.empty();
    List<NodeProcess> dead = new ArrayList<>(List.of(target.primary));
    second.ifPresent(dead::add);
    long began = System.nanoTime();
    for (NodeProcess node : dead) {
      log.begin(kind, node);
      node.kill();
      count(kind);
    }
    CompletableFuture<JsonLine> probe = probe(target);
    List<NodeProcess> again = new ArrayList<>();
    if (kind == FaultKind.KILL_AND_RESTART_AT_ONCE) {
      startAgain(dead, again);
    }
    long writable = awaitProbe(target, probe);
    if (second.isEmpty()) {
      failovers.killed(writable - began);
    }
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

  /** A node that works and is neither of those of a target. */
  private Optional<NodeProcess> bystander(Target target) {
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
  private Optional<NodeProcess> killBystander(Target target)
      throws ChaosException, InterruptedException {
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

  private long awaitProbe(Target target, CompletableFuture<JsonLine> probe)
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

  /** Short pauses are more frequent than long ones. */
  private long pauseMillis() {
    double drawn = random.nextDouble();
    long most = settings.longestPause().toMillis();
    return SHORTEST_PAUSE_MILLIS + (long) (drawn * drawn * (most - SHORTEST_PAUSE_MILLIS));
  }

  private void pause() throws ChaosException, InterruptedException {
    Target target = target();
    long end = System.nanoTime() + Duration.ofMillis(pauseMillis()).toNanos();
    List<NodeProcess> still = new ArrayList<>();
    long began = System.nanoTime();
    stop(target.primary, still);
    CompletableFuture<JsonLine> probe = probe(target);
    Optional<NodeProcess> again = Optional.empty();
    switch (random.nextInt(3)) {
      case 0 -> again = killBystander(target);
      case 1 -> {
        Optional<NodeProcess> other =
            settings.expendable() > 1 ? bystander(target) : Optional.empty();
        if (other.isPresent()) {
          Thread.sleep(random.nextLong(1_000));
          stop(other.get(), still);
        }
      }
      default -> {}
    }
    sleepUntil(end);
    for (NodeProcess node : still) {
      node.resume();
      log.end(FaultKind.PAUSE, node);
    }
    long writable = awaitProbe(target, probe);
    if (still.size() == 1 && again.isEmpty()) {
      failovers.paused(writable - began);
    }
    if (again.isPresent()) {
      fleet.awaitWorking(again.get());
    }
  }

  private void stop(NodeProcess node, List<NodeProcess> still)
      throws ChaosException, InterruptedException {
    log.begin(FaultKind.PAUSE, node);
    node.pause();
    still.add(node);
    count(FaultKind.PAUSE);
  }

  private void cut(FaultKind kind, Set<Network.Link> links)
      throws ChaosException, InterruptedException {
    log.cut(kind, links);
    network.cut(links);
    Thread.sleep(random.nextLong(SHORTEST_CUT_MILLIS, LONGEST_CUT_MILLIS));
    heal(kind);
  }

  private void heal(FaultKind kind) throws ChaosException, InterruptedException {
    network.cut(Set.of());
    log.cut(kind, Set.of());
    count(kind);
  }

  private void isolate() throws ChaosException, InterruptedException {
    Target target = target();
    Set<Network.Link> links = Shape.without(settings.nodes(), target.primary.place());
    long began = System.nanoTime();
    long end = began + Duration.ofMillis(random.nextLong(4_000, 10_000)).toNanos();
    log.cut(FaultKind.ISOLATE, links);
    network.cut(links);
    CompletableFuture<JsonLine> probe = probe(target);
    Optional<NodeProcess> again = random.nextInt(3) == 0 ? killBystander(target) : Optional.empty();
    sleepUntil(end);
    heal(FaultKind.ISOLATE);
    long writable = awaitProbe(target, probe);
    if (again.isEmpty()) {
      failovers.cut(writable - began);
    } else {
      fleet.awaitWorking(again.get());
    }
  }

  private void flap() throws ChaosException, InterruptedException {
    Set<Network.Link> links = Shape.without(settings.nodes(), random.nextInt(settings.nodes()));
    for (int i = random.nextInt(3, 6); i > 0; i--) {
      log.cut(FaultKind.FLAP, links);
      network.cut(links);
      Thread.sleep(FLAP_MILLIS);
      network.cut(Set.of());
      log.cut(FaultKind.FLAP, Set.of());
      Thread.sleep(FLAP_MILLIS);
    }
    count(FaultKind.FLAP);
  }

  private void joinStorm() throws ChaosException, InterruptedException {
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
    count(FaultKind.JOIN_STORM);
  }

  private void rollingRestart() throws ChaosException, InterruptedException {
    for (int place = 0; place < settings.nodes(); place++) {
      NodeProcess node = fleet.at(place);
      log.begin(FaultKind.ROLLING_RESTART, node);
      node.leave();
      fleet.awaitLeft(List.of(node));
      fleet.join(List.of(place));
      log.end(FaultKind.ROLLING_RESTART, node);
    }
    count(FaultKind.ROLLING_RESTART);
  }

  private void scaleDown() throws ChaosException, InterruptedException {
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
    count(FaultKind.SCALE_DOWN);
  }

  private static void sleepUntil(long endNanos) throws InterruptedException {
    long left = endNanos - System.nanoTime();
    if (left > 0) {
      Thread.sleep(Duration.ofNanos(left));
    }
  }
}
