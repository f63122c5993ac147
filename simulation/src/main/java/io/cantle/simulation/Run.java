package io.cantle.simulation;

import io.cantle.simulation.Scheduler.Limits;
import io.cantle.simulation.SimulatedThread.Role;
import java.io.PrintStream;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * One seed from beginning to end: found a grid, load it, let clients work while nodes come and go,
 * let it rest, read everything from everywhere, judge.
 *
 * <p><b>Threading:</b> {@link #of} is called on the thread that becomes the carrier.
 */
final class Run {
  private static final long SECOND = 1_000_000_000L;
  private static final long POLL_NANOS = 20_000_000L;
  private static final long WATCH_NANOS = 5_000_000L;

  /** For so long after a change leaders change; later they are looked at now and then. */
  private static final long COMPLAINTS_NANOS = 2_000_000_000L;

  private static final long MOVING_NANOS = 5 * SECOND;

  /** Long enough for those on either side to believe that they are all. */
  private static final long LONGEST_APART_NANOS = 12 * SECOND;

  private static final int LEADERS_ONE_IN = 20;
  private static final long VERSIONS_NANOS = 2 * SECOND;
  private static final long MORE_SECONDS = 400;
  private static final long MOST_STEPS_A_SECOND = 400_000;
  private static final long RECOVERY_SECONDS = 20;

  /** Whatever is cut at that time is healed after a while. */
  private static final long RETURN_SECONDS = 90;

  /** After a partition whose sides went on each has still to merge. */
  private static final long MERGE_SECONDS = 90;

  private static final long MAX_CHECK_STEPS = 3_000_000;

  private final Scenario scenario;
  private final Scheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final Host driver;
  private final Network network;
  private final Population population;
  private final Adversary adversary;
  private final Stops stops;
  private History history;
  private Workload workload;
  private final SoleWriters sole;
  private final StreamWork streams;
  private final Invariants invariants;
  private long watched;
  private long nextVersionsNanos;
  private long recoveryNanos;

  private Run(
      Scenario scenario,
      SplittableRandom random,
      Peer.Starter starter,
      @Nullable PrintStream trace) {
    this.scenario = scenario;
    this.random = random;
    long seconds = scenario.workNanos() / SECOND + MORE_SECONDS;
    this.scheduler =
        new Scheduler(random.split(), new Limits(seconds * MOST_STEPS_A_SECOND, seconds * SECOND));
    this.history = new History(scheduler::nowNanos);
    this.log = new EventLog(scheduler, trace);
    this.driver = new Host(scheduler, 0, "-", random.split());
    this.network =
        new Network(
            scheduler,
            log,
            scenario.weather(),
            scenario.hints(),
            random.split(),
            starter::describe);
    this.population = new Population(scenario, network, starter, random.split(), this::arrived);
    this.adversary = new Adversary(scenario, network, population, driver, random.split());
    this.stops = new Stops(network, population, driver, new SplittableRandom(scenario.calmNanos()));
    this.invariants = new Invariants(population::nodes, scheduler::fail);
    this.workload = new Workload(scenario, scheduler, log, network, history, invariants);
    this.sole = new SoleWriters(scenario, workload, population::stations);
    this.streams = new StreamWork(scenario, workload, population);
    if (scenario.available()) {
      population.whenGone(sole::gone);
    }
    adversary.whenSuspended(nanos -> workload.lifetimes().suspended(scheduler.nowNanos(), nanos));
    scheduler.watch(WATCH_NANOS, this::watch);
  }

  /** Runs a seed with the nodes the starter makes. */
  static SeedResult of(long seed, Terms terms, Peer.Starter starter, @Nullable PrintStream trace) {
    SplittableRandom random = new SplittableRandom(seed);
    Scenario scenario = Scenario.draw(random, terms);
    if (trace != null) {
      trace.println(scenario);
    }
    return new Run(scenario, random, starter, trace).result(seed);
  }

  private SeedResult result(long seed) {
    driver.start(Role.CLIENT, this::drive);
    NodeLog.during(scheduler, log.tracing(), this::logged);
    String violation = scheduler.failure();
    if (violation == null && !scenario.available()) {
      violation = workload.judge(MAX_CHECK_STEPS);
    }
    return SeedResult.of(seed, log, scheduler, recoveryNanos, streams.uses(), violation);
  }

  private void logged(LogRecord record) {
    SimulatedThread thread = scheduler.current();
    Host host = thread == null ? driver : thread.host();
    log.print("log", host, NodeLog.text(record));
    if (record.getThrown() != null) {
      scheduler.fail(host + " logged " + NodeLog.text(record));
    }
  }

  private void drive() {
    for (int i = 0; i < scenario.nodes(); i++) {
      population.join();
    }
    if (scenario.foundedApart()) {
      adversary.part(random.nextLong(LONGEST_APART_NANOS));
    }
    await("the first nodes to join", 60, () -> population.steady().size() == scenario.nodes());
    if (scenario.foundedApart()) {
      await("the first nodes to find together", 60, () -> !network.anyCut() && recovered());
    }
    load();
    if (scenario.available()) {
      sole.loaded();
    }
    long began = scheduler.nowNanos();
    workload.open();
    population.steady().forEach(this::arrived);
    adversary.begin();
    UUID grid = population.steady().getFirst().peer().insight().grid();
    for (long stop : scenario.stops()) {
      passUntil(began + stop);
      stopAll(grid);
    }
    passUntil(began + scenario.calmNanos());
    adversary.calm();
    population.quickenDisks();
    if (adversary.overloaded()) {
      passUntil(began + scenario.workNanos());
      endWork();
      forEverybody("last", Client::readSome);
    } else {
      recover();
      passUntil(began + scenario.workNanos());
      endWork();
      await("segments to have all their owners still", RECOVERY_SECONDS, this::recovered);
      if (!scenario.available()) {
        forEverybody("last", Client::write);
      }
      awaitSameCopies();
      readAll();
      population.closeAll();
      await("everybody to leave", 90, () -> population.alive().isEmpty());
    }
    scheduler.stop();
  }

  /**
   * Kills all nodes and brings them back. What they held in memory only is gone: what clients saw
   * before is judged by itself.
   */
  private void stopAll(UUID grid) {
    adversary.halt(true);
    long began = scheduler.nowNanos();
    workload.allStop();
    List<String> names = stops.stop(!scenario.kept());
    if (!scenario.kept()) {
      beginAnew();
    }
    stops.restart(names);
    await("all nodes to be back", RETURN_SECONDS, () -> stops.back(names));
    for (Station station : population.steady()) {
      if (!station.peer().insight().grid().equals(grid)) {
        scheduler.fail(station + " is of another grid than all were that were stopped");
      }
    }
    stops.over();
    workload.allAreBack();
    workload.lifetimes().stopped(began, scheduler.nowNanos());
    if (!scenario.kept()) {
      load();
      workload.open();
      population.steady().forEach(this::arrived);
    }
    adversary.halt(false);
  }

  /** Judges what was seen until now; from then on there is nothing but what is written then. */
  private void beginAnew() {
    String wrong = workload.judge(MAX_CHECK_STEPS);
    if (wrong != null) {
      scheduler.fail("before all were stopped: " + wrong);
    }
    Workload before = workload;
    history = new History(scheduler::nowNanos);
    workload = new Workload(scenario, scheduler, log, network, history, invariants);
    workload.follows(before);
  }

  /** Looks into the nodes, between two steps. */
  private void watch() {
    long now = scheduler.nowNanos();
    boolean moving = now - network.changedNanos() < MOVING_NANOS;
    if (moving || ++watched % LEADERS_ONE_IN == 0) {
      invariants.checkLeaders();
    }
    if (now >= nextVersionsNanos) {
      nextVersionsNanos = now + VERSIONS_NANOS;
      invariants.checkVersions();
    }
  }

  /** Backups may hear of the last writes a little later. */
  private void awaitSameCopies() {
    long deadline = scheduler.nowNanos() + RECOVERY_SECONDS * SECOND;
    List<String> differences = invariants.differences();
    while (!differences.isEmpty()) {
      if (scheduler.nowNanos() > deadline) {
        scheduler.fail("at rest " + differences);
      }
      driver.clock().parkNanos(this, POLL_NANOS);
      differences = invariants.differences();
    }
  }

  private void passUntil(long nanos) {
    while (scheduler.nowNanos() < nanos) {
      driver.clock().parkNanos(this, nanos - scheduler.nowNanos());
    }
  }

  /** Nothing goes wrong any more: after a while everything must be as if nothing ever had. */
  private void recover() {
    long calm = scheduler.nowNanos();
    await(
        "everything to recover once all faults have ended",
        scenario.available() ? MERGE_SECONDS : RECOVERY_SECONDS,
        this::recovered);
    recoveryNanos = scheduler.nowNanos() - calm;
    // What was complained of while there were faults counts a little longer, and may exclude one.
    passUntil(scheduler.nowNanos() + COMPLAINTS_NANOS);
    await("nobody to be excluded any more", RECOVERY_SECONDS, this::recovered);
    workload.expectSuccess();
  }

  private boolean recovered() {
    return population.calm() && population.healed();
  }

  private void endWork() {
    workload.stop();
    // A walk may wait for several answers.
    await("clients to end", 2 * scenario.timeout().toSeconds() + 10, this::noClients);
  }

  private void load() {
    boolean[] loaded = new boolean[1];
    List<Station> steady = population.steady();
    Station loader = steady.get(random.nextInt(Math.min(scenario.nodes(), steady.size())));
    loader
        .host()
        .start(
            Role.CLIENT,
            () -> {
              workload.load(loader.peer(), loader.host());
              loaded[0] = true;
            });
    await("the stable keys to be loaded", 60, () -> loaded[0]);
  }

  /** Each node that joins gets clients, once work has begun. */
  private void arrived(Station station) {
    if (workload.isOpen()) {
      for (int i = 0; i < scenario.clientsPerNode(); i++) {
        station.clientBegan();
        String name = label(station) + i;
        SplittableRandom sprinkled = random.split();
        Client client = new Client(name, station, workload, sprinkled);
        station
            .host()
            .start(
                Role.CLIENT,
                () -> {
                  if (scenario.available()) {
                    sole.work(name, station, sprinkled);
                  } else if (scenario.streams()) {
                    new StreamClient(name, station, streams, client, sprinkled).work();
                  } else {
                    client.work();
                  }
                  station.clientEnded();
                });
      }
    }
  }

  /** What everybody must see once all is at rest. */
  private void readAll() {
    if (!scenario.available()) {
      forEverybody("last", Client::readAll);
      return;
    }
    for (Station station : population.steady()) {
      station.clientBegan();
      station
          .host()
          .start(
              Role.CLIENT,
              () -> {
                sole.check(label(station) + "last", station);
                station.clientEnded();
              });
    }
    await("the last calls", 120, this::noClients);
    sole.checkLosses();
  }

  /** Has a client at each member do something, and waits for all of them. */
  private void forEverybody(String name, Consumer<Client> action) {
    for (Station station : population.steady()) {
      station.clientBegan();
      Client client = new Client(label(station) + name, station, workload, random.split());
      station
          .host()
          .start(
              Role.CLIENT,
              () -> {
                action.accept(client);
                station.clientEnded();
              });
    }
    await("the last calls", 120, this::noClients);
  }

  /** A node that starts again has the same name, but is another. */
  private static String label(Station station) {
    return station.host().name() + "#" + station.host().number() + "/";
  }

  private boolean noClients() {
    return population.stations().stream().allMatch(station -> station.clients() == 0);
  }

  private void await(String what, long seconds, BooleanSupplier condition) {
    long deadline = scheduler.nowNanos() + seconds * SECOND;
    while (!condition.getAsBoolean()) {
      if (scheduler.nowNanos() > deadline) {
        scheduler.fail(
            "waited "
                + seconds
                + " virtual seconds for "
                + what
                + "; nodes: "
                + population.stations()
                + "; threads:\n"
                + scheduler.dump());
      }
      driver.clock().parkNanos(this, POLL_NANOS);
    }
  }
}
