package io.cantle.simulation;

import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.SimulationScheduler.Limits;
import java.io.PrintStream;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * One seed from beginning to end. It founds a grid, loads it, lets clients work while nodes start
 * and stop, waits until the grid is at rest, reads everything from every node, and checks it.
 *
 * <p><b>Threading:</b> {@link #of} is called on the thread that becomes the carrier.
 */
final class SeedRun {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long POLL_NANOS = 20_000_000L;
  private static final long WATCH_NANOS = 5_000_000L;

  /**
   * How long after a change invariants are checked often, because leaders change then. Later they
   * are checked only now and then.
   */
  private static final long HEAP_NOTICE_NANOS = 4_000_000_000L;

  private static final long CHECK_INTERVAL_NANOS = 2_000_000_000L;

  private static final long REBALANCE_NANOS = 5 * SECOND_NANOS;

  /** Long enough for each side to believe that it is the whole grid. */
  private static final long MAX_APART_NANOS = 12 * SECOND_NANOS;

  private static final int LEADERS_ONE_IN = 20;
  private static final long VERSION_CHECK_INTERVAL_NANOS = 2 * SECOND_NANOS;
  private static final long MORE_SECONDS = 400;
  private static final long MAX_STEPS_PER_SECOND = 400_000;
  private static final long RECOVERY_SECONDS = 20;

  /** Whatever is cut at that time is healed after a while. */
  private static final long RETURN_SECONDS = 90;

  /** After a partition whose sides went on, each still has to merge. */
  private static final long MERGE_SECONDS = 90;

  private static final long MAX_CHECK_STEPS = 3_000_000;

  private final SeedScenario scenario;
  private final SimulationScheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final SimulatedHost driver;
  private final SimulatedNetwork network;
  private final NodePopulation population;
  private final FaultInjector faultInjector;
  private final GridRestartFaults gridRestartFaults;
  private CallHistory history;
  private ClientWorkload workload;
  private final SoleWriterWorkload soleWriters;
  private final StreamWorkload streams;
  private final DestroyWorkload destroys;
  private final InvariantChecker invariantChecker;
  private long watched;
  private long nextVersionsNanos;
  private long recoveryNanos;

  private SeedRun(
      SeedScenario scenario,
      SplittableRandom random,
      NodeUnderTest.NodeStarter starter,
      @Nullable PrintStream trace) {
    this.scenario = scenario;
    this.random = random;
    long seconds = scenario.workNanos() / SECOND_NANOS + MORE_SECONDS;
    this.scheduler =
        new SimulationScheduler(
            random.split(), new Limits(seconds * MAX_STEPS_PER_SECOND, seconds * SECOND_NANOS));
    this.history = new CallHistory(scheduler::nowNanos);
    this.log = new EventLog(scheduler, trace);
    this.driver = new SimulatedHost(scheduler, 0, "-", random.split());
    this.network =
        new SimulatedNetwork(
            scheduler,
            log,
            scenario.conditions(),
            scenario.hasUnreliableViews(),
            random.split(),
            starter::describeMessage);
    this.population =
        new NodePopulation(scenario, network, starter, random.split(), this::onArrival);
    this.faultInjector = new FaultInjector(scenario, network, population, driver, random.split());
    this.gridRestartFaults =
        new GridRestartFaults(
            network, population, driver, new SplittableRandom(scenario.calmNanos()));
    this.invariantChecker = new InvariantChecker(population::inspectedNodes, scheduler::fail);
    this.workload =
        new ClientWorkload(scenario, scheduler, log, network, history, invariantChecker);
    this.soleWriters = new SoleWriterWorkload(scenario, workload, population::nodeSlots);
    this.streams = new StreamWorkload(scenario, workload, population);
    this.destroys = new DestroyWorkload(scenario, workload, new CallHistory(scheduler::nowNanos));
    if (scenario.isAvailable()) {
      population.setDepartureListener(soleWriters::onNodeGone);
    }
    faultInjector.setSuspensionListener(
        nanos -> workload.lifetimes().recordSuspension(scheduler.nowNanos(), nanos));
    scheduler.watchEvery(WATCH_NANOS, this::checkInvariants);
  }

  /** Runs a seed with the nodes that the starter makes. */
  static SeedResult of(
      long seed,
      SeedSettings settings,
      NodeUnderTest.NodeStarter starter,
      @Nullable PrintStream trace) {
    SplittableRandom random = new SplittableRandom(seed);
    SeedScenario scenario = SeedScenario.drawScenario(random, settings);
    if (trace != null) {
      trace.println(scenario);
    }
    return new SeedRun(scenario, random, starter, trace).toResult(seed);
  }

  private SeedResult toResult(long seed) {
    driver.start(Role.CLIENT, this::runPhases);
    NodeLogCapture.captureDuring(scheduler, log.isTracing(), this::onLogged);
    String violation = scheduler.failure();
    if (violation == null && !scenario.isAvailable()) {
      violation = workload.checkAll(MAX_CHECK_STEPS);
      violation = violation == null ? destroys.check(MAX_CHECK_STEPS) : violation;
    }
    return SeedResult.of(seed, log, scheduler, recoveryNanos, streams.toRecord(), violation);
  }

  private void onLogged(LogRecord record) {
    SimulatedThread thread = scheduler.current();
    SimulatedHost host = thread == null ? driver : thread.host();
    log.print("log", host, NodeLogCapture.text(record));
    if (record.getThrown() != null) {
      scheduler.fail(host + " logged " + NodeLogCapture.text(record));
    }
  }

  private void runPhases() {
    for (int i = 0; i < scenario.nodes(); i++) {
      population.join();
    }
    if (scenario.isFoundedApart()) {
      faultInjector.cutApart(random.nextLong(MAX_APART_NANOS));
    }
    await("the first nodes to join", 60, () -> population.steadyNodes().size() == scenario.nodes());
    if (scenario.isFoundedApart()) {
      await(
          "the first nodes to find together", 60, () -> !network.isAnyLinkCut() && hasRecovered());
    }
    loadData();
    if (scenario.isAvailable()) {
      soleWriters.onLoaded();
    }
    long began = scheduler.nowNanos();
    workload.open();
    population.steadyNodes().forEach(this::onArrival);
    faultInjector.scheduleIncidents();
    UUID grid = population.steadyNodes().getFirst().node().insight().gridId();
    for (long stop : scenario.stopTimes()) {
      advanceUntil(began + stop);
      stopAllNodes(grid);
    }
    advanceUntil(began + scenario.calmNanos());
    destroys.endDestroying();
    faultInjector.endFaults();
    population.makeStoresFast();
    if (faultInjector.isOverloaded()) {
      advanceUntil(began + scenario.workNanos());
      endWork();
      forEachNode("last", SimulatedClient::readRandomKeys);
    } else {
      awaitRecovery();
      advanceUntil(began + scenario.workNanos());
      endWork();
      await("segments to have all their owners still", RECOVERY_SECONDS, this::hasRecovered);
      if (!scenario.isAvailable()) {
        forEachNode("last", SimulatedClient::write);
      }
      awaitEqualReplicas();
      readAll();
      readBriefCache();
      population.closeAll();
      await("everybody to leave", 90, () -> population.aliveNodes().isEmpty());
    }
    scheduler.stop();
  }

  /**
   * Kills all nodes and restarts them. What they held only in memory is gone, so what clients saw
   * before is checked by itself.
   */
  private void stopAllNodes(UUID grid) {
    faultInjector.setHalted(true);
    long began = scheduler.nowNanos();
    workload.stopAllClients();
    List<String> names = gridRestartFaults.stopGrid(!scenario.withDurability());
    if (!scenario.withDurability()) {
      restartGrid();
    }
    gridRestartFaults.restart(names);
    await("all nodes to be back", RETURN_SECONDS, () -> gridRestartFaults.areBack(names));
    for (NodeSlot slot : population.steadyNodes()) {
      if (!slot.node().insight().gridId().equals(grid)) {
        scheduler.fail(slot + " belongs to another grid than the nodes that were stopped");
      }
    }
    gridRestartFaults.finish();
    workload.onAllBack();
    workload.lifetimes().recordStop(began, scheduler.nowNanos());
    if (!scenario.withDurability()) {
      loadData();
      workload.open();
      population.steadyNodes().forEach(this::onArrival);
    }
    faultInjector.setHalted(false);
  }

  /** Checks what was seen until now. From then on there is only what is written afterwards. */
  private void restartGrid() {
    String wrong = workload.checkAll(MAX_CHECK_STEPS);
    if (wrong != null) {
      scheduler.fail("before all were stopped: " + wrong);
    }
    ClientWorkload before = workload;
    history = new CallHistory(scheduler::nowNanos);
    workload = new ClientWorkload(scenario, scheduler, log, network, history, invariantChecker);
    workload.continueAfter(before);
    destroys.continueBeside(workload);
  }

  /** Checks the invariants of the nodes, between two steps. */
  private void checkInvariants() {
    long now = scheduler.nowNanos();
    boolean moving = now - network.changedNanos() < REBALANCE_NANOS;
    if (moving || ++watched % LEADERS_ONE_IN == 0) {
      invariantChecker.checkLeaders();
    }
    if (now >= nextVersionsNanos) {
      nextVersionsNanos = now + VERSION_CHECK_INTERVAL_NANOS;
      invariantChecker.checkVersions();
    }
  }

  /**
   * Waits until all replicas are equal, since backups may receive the last writes a little later.
   */
  private void awaitEqualReplicas() {
    long deadline = scheduler.nowNanos() + RECOVERY_SECONDS * SECOND_NANOS;
    List<String> differences = invariantChecker.differences();
    while (!differences.isEmpty()) {
      if (scheduler.nowNanos() > deadline) {
        scheduler.fail("at rest " + differences);
      }
      driver.clock().parkNanos(this, POLL_NANOS);
      differences = invariantChecker.differences();
    }
  }

  private void advanceUntil(long nanos) {
    while (scheduler.nowNanos() < nanos) {
      driver.clock().parkNanos(this, nanos - scheduler.nowNanos());
    }
  }

  /**
   * Waits for recovery. Without faults, everything must after a while be as if there had never been
   * any.
   */
  private void awaitRecovery() {
    long calm = scheduler.nowNanos();
    await(
        "everything to recover once all faults have ended",
        scenario.isAvailable() ? MERGE_SECONDS : RECOVERY_SECONDS,
        this::hasRecovered);
    recoveryNanos = scheduler.nowNanos() - calm;
    // A suspicion raised while there were faults counts a little longer, and may exclude a node.
    advanceUntil(scheduler.nowNanos() + CHECK_INTERVAL_NANOS);
    await("nobody to be excluded any more", RECOVERY_SECONDS, this::hasRecovered);
    if (scenario.cache().isBounded()) {
      // The notice of a full heap counts for a while, and a node that was paused reads it late.
      advanceUntil(scheduler.nowNanos() + HEAP_NOTICE_NANOS);
    }
    workload.expectSuccess();
  }

  private boolean hasRecovered() {
    return population.isCalm() && population.isHealed();
  }

  private void endWork() {
    workload.stop();
    // An iteration may wait for several answers.
    await("clients to end", 2 * scenario.timeout().toSeconds() + 10, this::hasNoClients);
  }

  private void loadData() {
    boolean[] loaded = new boolean[1];
    List<NodeSlot> steady = population.steadyNodes();
    NodeSlot loader = steady.get(random.nextInt(Math.min(scenario.nodes(), steady.size())));
    loader
        .host()
        .start(
            Role.CLIENT,
            () -> {
              workload.loadEntries(loader.node(), loader.host());
              loaded[0] = true;
            });
    await("the stable keys to be loaded", 60, () -> loaded[0]);
  }

  /** Checks the cache that was destroyed again and again, at every node. */
  private void readBriefCache() {
    if (!scenario.isDestroying()) {
      return;
    }
    for (NodeSlot slot : population.steadyNodes()) {
      startDestroyClient(slot, DestroyClient::readAtRest);
    }
    await("the brief cache to be read", 120, this::hasNoClients);
    startDestroyClient(population.steadyNodes().getLast(), DestroyClient::destroyAtRest);
    await("the brief cache to be destroyed", 120, this::hasNoClients);
    awaitEqualReplicas();
  }

  private void startDestroyClient(NodeSlot slot, Consumer<DestroyClient> action) {
    slot.onClientBegan();
    DestroyClient client = new DestroyClient(label(slot) + "brief", slot, destroys);
    slot.host()
        .start(
            Role.CLIENT,
            () -> {
              action.accept(client);
              slot.onClientEnded();
            });
  }

  /** Gives each node that joins its clients, once work has begun. */
  private void onArrival(NodeSlot slot) {
    if (workload.isOpen()) {
      if (scenario.isDestroying()) {
        startDestroyClient(slot, DestroyClient::run);
      }
      for (int i = 0; i < scenario.clientsPerNode(); i++) {
        slot.onClientBegan();
        String name = label(slot) + i;
        SplittableRandom sprinkled = random.split();
        SimulatedClient client = new SimulatedClient(name, slot, workload, sprinkled);
        slot.host()
            .start(
                Role.CLIENT,
                () -> {
                  if (scenario.isAvailable()) {
                    soleWriters.runClient(name, slot, sprinkled);
                  } else if (scenario.isStreaming()) {
                    new StreamClient(name, slot, streams, client, sprinkled).runClient();
                  } else {
                    client.run();
                  }
                  slot.onClientEnded();
                });
      }
    }
  }

  /** Checks what every node must see once all is at rest. */
  private void readAll() {
    if (!scenario.isAvailable()) {
      forEachNode("last", SimulatedClient::readAll);
      return;
    }
    for (NodeSlot slot : population.steadyNodes()) {
      slot.onClientBegan();
      slot.host()
          .start(
              Role.CLIENT,
              () -> {
                soleWriters.checkKey(label(slot) + "last", slot);
                slot.onClientEnded();
              });
    }
    await("the last calls", 120, this::hasNoClients);
    soleWriters.checkLosses();
  }

  /** Has a client at each member run an action, and waits for all of them. */
  private void forEachNode(String name, Consumer<SimulatedClient> action) {
    for (NodeSlot slot : population.steadyNodes()) {
      slot.onClientBegan();
      SimulatedClient client =
          new SimulatedClient(label(slot) + name, slot, workload, random.split());
      slot.host()
          .start(
              Role.CLIENT,
              () -> {
                action.accept(client);
                slot.onClientEnded();
              });
    }
    await("the last calls", 120, this::hasNoClients);
  }

  /** Returns a label for a node. A restarted node has the same name, but is another node. */
  private static String label(NodeSlot slot) {
    return slot.host().name() + "#" + slot.host().number() + "/";
  }

  private boolean hasNoClients() {
    return population.nodeSlots().stream().allMatch(slot -> slot.clientCount() == 0);
  }

  private void await(String expectation, long seconds, BooleanSupplier condition) {
    long deadline = scheduler.nowNanos() + seconds * SECOND_NANOS;
    while (!condition.getAsBoolean()) {
      if (scheduler.nowNanos() > deadline) {
        scheduler.fail(
            "waited "
                + seconds
                + " virtual seconds for "
                + expectation
                + "; nodes: "
                + population.nodeSlots()
                + "; unsteady segments: "
                + population.unsteadySegments()
                + "; threads:\n"
                + scheduler.dumpThreads());
      }
      driver.clock().parkNanos(this, POLL_NANOS);
    }
  }
}
