package io.cantle.simulation;

import io.cantle.simulation.Scheduler.Limits;
import io.cantle.simulation.SimulatedThread.Role;
import java.io.PrintStream;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
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
  private static final Limits LIMITS = new Limits(4_000_000, 240 * SECOND);
  private static final long MAX_CHECK_STEPS = 3_000_000;

  private final Scenario scenario;
  private final Scheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final Host driver;
  private final Network network;
  private final Population population;
  private final History history = new History();
  private final Workload workload;

  private Run(
      Scenario scenario,
      SplittableRandom random,
      Peer.Starter starter,
      @Nullable PrintStream trace) {
    this.scenario = scenario;
    this.random = random;
    this.scheduler = new Scheduler(random.split(), LIMITS);
    this.log = new EventLog(scheduler, trace);
    this.driver = new Host(scheduler, 0, "-", random.split());
    this.network =
        new Network(scheduler, log, scenario.weather(), random.split(), starter::describe);
    this.population = new Population(scenario, network, starter, random.split(), this::arrived);
    this.workload = new Workload(scenario, scheduler, log, network, history);
  }

  /** Runs a seed with the nodes the starter makes. */
  static SeedResult of(long seed, Peer.Starter starter, @Nullable PrintStream trace) {
    SplittableRandom random = new SplittableRandom(seed);
    Scenario scenario = Scenario.draw(random);
    if (trace != null) {
      trace.println(scenario);
    }
    return new Run(scenario, random, starter, trace).result(seed);
  }

  private SeedResult result(long seed) {
    driver.start(Role.CLIENT, this::drive);
    NodeLog.during(scheduler, log.tracing(), this::logged);
    String violation = scheduler.failure();
    if (violation == null) {
      violation = workload.judge(MAX_CHECK_STEPS);
    }
    return SeedResult.of(seed, log, scheduler, violation);
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
    await("the first nodes to join", 60, () -> population.steady().size() == scenario.nodes());
    load();
    long began = scheduler.nowNanos();
    workload.open();
    population.steady().forEach(this::arrived);
    await(
        "operations and membership changes",
        150,
        () -> {
          long elapsed = scheduler.nowNanos() - began;
          population.advance(elapsed);
          return elapsed >= Scenario.SHORTEST_NANOS
              && log.count(EventKind.RETURN) >= Scenario.FEWEST_OPERATIONS
              && population.calm();
        });
    workload.stop();
    await("clients to end", 60, this::noClients);
    await("segments to have all their owners again", 60, population::healed);
    readEverywhere();
    population.closeAll();
    await("everybody to leave", 90, population::empty);
    scheduler.stop();
  }

  private void load() {
    boolean[] loaded = new boolean[1];
    Station loader = population.steady().get(random.nextInt(scenario.nodes()));
    loader
        .host()
        .start(
            Role.CLIENT,
            () -> {
              workload.load(loader.peer());
              loaded[0] = true;
            });
    await("the stable keys to be loaded", 60, () -> loaded[0]);
  }

  /** Each node that joins gets clients, once work has begun. */
  private void arrived(Station station) {
    if (workload.isOpen()) {
      for (int i = 0; i < scenario.clientsPerNode(); i++) {
        station.clientBegan();
        Client client =
            new Client(station.host().name() + "/" + i, station, workload, random.split());
        station
            .host()
            .start(
                Role.CLIENT,
                () -> {
                  client.work();
                  station.clientEnded();
                });
      }
    }
  }

  private void readEverywhere() {
    for (Station station : population.steady()) {
      station.clientBegan();
      Client client =
          new Client(station.host().name() + "/last", station, workload, random.split());
      station
          .host()
          .start(
              Role.CLIENT,
              () -> {
                client.readAll();
                station.clientEnded();
              });
    }
    await("the last reads", 60, this::noClients);
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
