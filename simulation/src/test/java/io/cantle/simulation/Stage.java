package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.GridConfig;
import io.cantle.WhenCut;
import io.cantle.core.store.Store;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.simulation.Rule.Fate;
import io.cantle.simulation.Scenario.KeyForm;
import io.cantle.simulation.Scenario.Seat;
import io.cantle.simulation.Scheduler.Limits;
import io.cantle.simulation.SimulatedThread.Role;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * A few real nodes and a script that has its way with them: which message is lost, held back or
 * doubled, which link is cut, who is killed, stands still, joins or leaves, and when. What the
 * script leaves open, above all the order of threads and the time messages take, is drawn from the
 * seed; each is played with several. Inside the nodes the {@link Invariants} are checked all the
 * time.
 *
 * <p>A script runs on a thread of its own within the simulation and waits in virtual time.
 *
 * <p><b>Threading:</b> the carrier of its seed; called by the script.
 */
// Public to its subpackage; nobody can require what is only there for tests.
@SuppressWarnings("exports")
public final class Stage {
  /** What the cache of all scripts is called. */
  public static final String CACHE = "scripted";

  /** How long a call may take. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLISECOND = 1_000_000L;
  private static final long POLL_NANOS = 2 * MILLISECOND;
  private static final long WATCH_NANOS = 5 * MILLISECOND;
  private static final long PATIENCE_NANOS = 60 * SECOND;
  private static final Limits LIMITS = new Limits(20_000_000, 1_000 * SECOND);

  /** Every second seed has a network that loses, doubles and delays a little by itself. */
  private static final Weather BAD = new Weather(5 * MILLISECOND, 0.01, 0.01, 0.01, 0.02, 0);

  private final long seed;
  private final Scheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final Host driver;
  private final Network network;
  private final Invariants invariants;
  private final List<Actor> actors = new ArrayList<>();
  private final Traffic traffic;
  private CacheConfig config = CacheConfig.distributed();
  private WhenCut whenCut = WhenCut.stop();
  private @Nullable Throwable failure;

  /**
   * @param hints whether views may be wrong
   * @param trace where every event is printed, or null
   */
  Stage(long seed, boolean hints, @Nullable PrintStream trace) {
    this.seed = seed;
    random = new SplittableRandom(seed);
    scheduler = new Scheduler(random.split(), LIMITS);
    log = new EventLog(scheduler, trace);
    driver = new Host(scheduler, 0, "-", random.split());
    network =
        new Network(
            scheduler,
            log,
            seed % 2 == 0 ? BAD : Weather.FAIR,
            // Where the network does nothing by itself, views are true as well.
            hints,
            random.split(),
            GridPeer.starter()::describe);
    traffic = new Traffic(log);
    invariants = new Invariants(this::nodes, scheduler::fail);
    scheduler.watch(WATCH_NANOS, this::watch);
  }

  /** Plays a script to its end; returns what it threw, or what does not hold, or null. */
  @Nullable Throwable perform(Script script) {
    driver.start(
        Role.CLIENT,
        () -> {
          try {
            script.on(this);
            // The script is a test: whatever it throws is told to whoever runs it.
          } catch (Exception | AssertionError e) {
            failure = e;
          }
          scheduler.stop();
        });
    NodeLog.during(scheduler, log.tracing(), this::logged);
    String broken = scheduler.failure();
    return failure == null && broken != null ? new AssertionError(broken) : failure;
  }

  private void logged(LogRecord entry) {
    SimulatedThread thread = scheduler.current();
    Host host = thread == null ? driver : thread.host();
    log.print("log", host, NodeLog.text(entry));
    if (entry.getThrown() != null) {
      scheduler.fail(host + " logged " + NodeLog.text(entry));
    }
  }

  private void watch() {
    invariants.checkLeaders();
    if (random.nextInt(40) == 0) {
      invariants.checkVersions();
    }
  }

  private List<Invariants.Node> nodes() {
    return actors.stream()
        .filter(Actor::alive)
        .map(
            actor ->
                new Invariants.Node(
                    actor.transport().member().id(),
                    actor.name(),
                    Seat.USUAL,
                    new GridInsight(actor.inspection(), Store.NONE, new Keys(KeyForm.TEXT), 1)))
        .toList();
  }

  /** The seed, for what is to be different in each. */
  public long seed() {
    return seed;
  }

  /** A number the seed draws, at least 0 and less than a bound. */
  public int draw(int bound) {
    return random.nextInt(bound);
  }

  // ------------------------------------------------------------------ nodes

  /** Founds a grid; returns once all know each other and have the cache. */
  public List<Actor> grid(int nodes, CacheConfig cache) {
    config = cache;
    List<Actor> founders = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      founders.add(enter("n" + i, nodes));
    }
    founders.forEach(Actor::joined);
    awaitSettled();
    return founders;
  }

  /** A node that begins to join. */
  public Actor enter(String name) {
    return enter(name, 1);
  }

  /** A node that begins to join, or to found a grid with others. */
  public Actor enter(String name, int initialMembers) {
    Host host = new Host(scheduler, actors.size() + 1, name, random.split());
    Actor actor =
        new Actor(
            this,
            host,
            network.attach(host),
            GridConfig.named("stage")
                .nodeName(name)
                .initialMembers(initialMembers)
                .whenCut(whenCut)
                .timeout(TIMEOUT)
                .leaveTimeout(Duration.ofMinutes(2))
                .allowing(Stage.class.getPackageName() + ".scenario"));
    actors.add(actor);
    actor.start(config);
    return actor;
  }

  /** Has the network see within some time who was killed, as it does where sockets close. */
  public void seesDeathsWithin(Duration time) {
    network.detectWithin(time.toNanos());
  }

  /** What nodes do that are cut off; said before there are any. */
  public void whenCut(WhenCut choice) {
    whenCut = choice;
  }

  /** Of which kind the cache is, where no {@link #grid} says so. */
  public void cache(CacheConfig cache) {
    config = cache;
  }

  /** Every node that has joined and neither left nor died. */
  public List<Actor> steady() {
    return actors.stream().filter(Actor::steady).toList();
  }

  Actor actor(Member member) {
    return actors.stream()
        .filter(actor -> actor.transport().member().equals(member))
        .findFirst()
        .orElseThrow();
  }

  /** The node of a name that was there last. */
  public Actor actor(String name) {
    return actors.reversed().stream()
        .filter(actor -> actor.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The owners of a key, the primary first, as some node knows them. */
  public List<Actor> owners(String key) {
    return owners(key, steady().getFirst());
  }

  /** The owners of a key, the primary first, as this node knows them. */
  public List<Actor> owners(String key, Actor knowing) {
    return knowing.cache().owners(key).stream().map(this::actor).toList();
  }

  /** The primary of a key. */
  public Actor primary(String key) {
    return owners(key).getFirst();
  }

  /** A node that does not own a key; the first of them. */
  public Actor stranger(String key) {
    List<Actor> owners = owners(key);
    return steady().stream().filter(actor -> !owners.contains(actor)).findFirst().orElseThrow();
  }

  /** The node whose host the calling thread is on. */
  public Actor here() {
    SimulatedThread running = scheduler.current();
    return actors.stream()
        .filter(actor -> running != null && actor.host() == running.host())
        .findFirst()
        .orElseThrow();
  }

  void kill(Actor actor) {
    if (actor.alive()) {
      log.record(EventKind.CRASH, actor.host(), () -> "");
      network.crash(actor.transport());
    }
  }

  /** Has a node stand still. */
  public void pause(Actor actor, Duration time) {
    log.print("pause", actor.host(), time.toString());
    actor.host().pause(time.toNanos());
    network.views().reachChanged();
    scheduler.at(time.toNanos(), null, network.views()::reachChanged);
  }

  /** Has a node stand still for too short a time for anybody to notice. */
  public void stun(Actor actor, Duration time) {
    actor.host().pause(time.toNanos());
  }

  // ------------------------------------------------------------------ links

  /** Cuts all ways from some nodes to others, until {@link #heal}. */
  public void cutOneWay(Collection<Actor> from, Collection<Actor> to) {
    log.print("cut", driver, from + " to " + to);
    network.cut(Cut.between(places(from), places(to)));
  }

  /** Cuts all ways between groups of nodes, both ways, until {@link #heal}. */
  public void split(List<List<Actor>> groups) {
    for (List<Actor> one : groups) {
      for (List<Actor> other : groups) {
        if (!one.equals(other)) {
          cutOneWay(one, other);
        }
      }
    }
  }

  /** Cuts a node off, both ways, until {@link #heal}. */
  public void isolate(Actor actor) {
    List<Actor> others = new ArrayList<>(actors);
    others.remove(actor);
    split(List.of(List.of(actor), others));
  }

  private static List<Integer> places(Collection<Actor> some) {
    return some.stream().map(actor -> actor.transport().place()).toList();
  }

  /** Ends every cut. */
  public void heal() {
    log.print("heal", driver, "");
    network.healAll();
  }

  // ------------------------------------------------------------------ messages

  /** Has messages be lost. */
  public Rule drop(Predicate<Letter> which) {
    return rule(which, Fate.DROPPED, () -> {});
  }

  /** Has messages wait where they have arrived. */
  public Rule hold(Predicate<Letter> which) {
    return rule(which, Fate.HELD, () -> {});
  }

  /** Has messages handed over twice. */
  public Rule twice(Predicate<Letter> which) {
    return rule(which, Fate.DOUBLED, () -> {});
  }

  /** Only counts messages. */
  public Rule count(Predicate<Letter> which) {
    return rule(which, Fate.PASSED, () -> {});
  }

  /** Has something happen before the message with this place among such, from 1, is handed over. */
  public Rule before(Predicate<Letter> which, int place, Runnable action) {
    int[] seen = new int[1];
    return rule(
        which,
        Fate.PASSED,
        () -> {
          if (++seen[0] == place) {
            action.run();
          }
        });
  }

  private Rule rule(Predicate<Letter> which, Fate fate, Runnable action) {
    return traffic.rule(new Rule(which, fate, action));
  }

  /** How many messages of some kinds were sent so far. */
  public long sent(Kind... kinds) {
    return traffic.sent(kinds);
  }

  Traffic traffic() {
    return traffic;
  }

  // ------------------------------------------------------------------ time

  /** The time, for differences. */
  public long nowNanos() {
    return scheduler.nowNanos();
  }

  /** Lets time pass. */
  public void pass(Duration time) {
    long end = scheduler.nowNanos() + time.toNanos();
    while (scheduler.nowNanos() < end) {
      driver.clock().parkNanos(this, end - scheduler.nowNanos());
    }
  }

  /** Lets a thread of a node do nothing for a while, half of it to all of it. */
  public void rest(Actor actor, long nanos) {
    long end = scheduler.nowNanos() + nanos / 2 + random.nextLong(nanos / 2);
    // A call that ended by itself may have left a wake-up behind.
    while (scheduler.nowNanos() < end) {
      actor.host().clock().parkNanos(actor, end - scheduler.nowNanos());
    }
  }

  /** Waits for something that comes by itself, a minute at most. */
  public void await(String what, BooleanSupplier condition) {
    long deadline = scheduler.nowNanos() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (scheduler.nowNanos() > deadline) {
        throw new AssertionError("waited a minute for " + what + "; threads:\n" + scheduler.dump());
      }
      driver.clock().parkNanos(this, POLL_NANOS);
    }
  }

  /** Waits until every node that is there knows the others and says that nothing moves. */
  public void awaitSettled() {
    await("everything to settle", this::settled);
  }

  private boolean settled() {
    List<Actor> present = steady();
    List<String> names = present.stream().map(Actor::name).sorted().toList();
    return present.stream()
        .allMatch(
            actor ->
                actor.node().settled()
                    && actor.inspection().leased()
                    && actor.node().members().stream().sorted().toList().equals(names));
  }

  /**
   * Ends everything that was done to the network, waits until all is settled, and checks that all
   * owners of a segment hold the same, others nothing, each as many owners as the cache asks for.
   */
  public void settle() {
    traffic.release();
    network.calm();
    awaitSettled();
    await("copies to be equal", () -> invariants.differences().isEmpty());
    Actor any = steady().getFirst();
    int wanted =
        config.mode() == CacheMode.REPLICATED
            ? steady().size()
            : Math.min(config.owners(), steady().size());
    for (int segment = 0; segment < config.segments(); segment++) {
      List<UUID> owners = any.inspection().owners(0, segment);
      if (owners.size() != wanted) {
        throw new AssertionError("segment " + segment + " has the owners " + owners);
      }
    }
  }

  /** Every thread of a live node, with its stack. */
  public String threads() {
    return scheduler.dump();
  }
}
