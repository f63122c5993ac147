package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.GridConfig;
import io.cantle.WhenCut;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule.MessageFate;
import io.cantle.simulation.SeedScenario.KeyForm;
import io.cantle.simulation.SeedScenario.SimulatedCapacity;
import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.SimulationScheduler.Limits;
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
 * seed; each is played with several. Inside the nodes the {@link InvariantChecker} are checked all
 * the time.
 *
 * <p>A script runs on a thread of its own within the simulation and waits in virtual time.
 *
 * <p><b>Threading:</b> the carrier of its seed; called by the script.
 */
// Public to its subpackage; nobody can require what is only there for tests.
@SuppressWarnings("exports")
public final class ScriptedStage {
  /** What the cache of all scripts is called. */
  public static final String CACHE = "scripted";

  /** How long a call may take. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long MILLISECOND_NANOS = 1_000_000L;
  private static final long POLL_NANOS = 2 * MILLISECOND_NANOS;
  private static final long CHECK_INTERVAL_NANOS = 5 * MILLISECOND_NANOS;
  private static final long AWAIT_TIMEOUT_NANOS = 60 * SECOND_NANOS;
  private static final Limits LIMITS = new Limits(20_000_000, 1_000 * SECOND_NANOS);

  /** Every second seed has a network that loses, doubles and delays a little by itself. */
  private static final NetworkConditions BAD_CONDITIONS =
      new NetworkConditions(5 * MILLISECOND_NANOS, 0.01, 0.01, 0.01, 0.02, 0);

  private final long seed;
  private final SimulationScheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final SimulatedHost driver;
  private final SimulatedNetwork network;
  private final InvariantChecker invariantChecker;
  private final List<StageNode> nodes = new ArrayList<>();
  private final MessageInterceptor interceptor;
  private CacheConfig config = CacheConfig.distributed();
  private WhenCut whenCut = WhenCut.stop();
  private @Nullable Throwable failure;

  /**
   * @param hints whether views may be wrong
   * @param trace where every event is printed, or null
   */
  ScriptedStage(long seed, boolean hints, @Nullable PrintStream trace) {
    this.seed = seed;
    random = new SplittableRandom(seed);
    scheduler = new SimulationScheduler(random.split(), LIMITS);
    log = new EventLog(scheduler, trace);
    driver = new SimulatedHost(scheduler, 0, "-", random.split());
    network =
        new SimulatedNetwork(
            scheduler,
            log,
            seed % 2 == 0 ? BAD_CONDITIONS : NetworkConditions.FAIR,
            // Where the network does nothing by itself, views are true as well.
            hints,
            random.split(),
            GridNodeUnderTest.createStarter()::describeMessage);
    interceptor = new MessageInterceptor(log);
    invariantChecker = new InvariantChecker(this::inspectedNodes, scheduler::fail);
    scheduler.watchEvery(CHECK_INTERVAL_NANOS, this::checkInvariants);
  }

  /** Plays a script to its end; returns what it threw, or what does not hold, or null. */
  @Nullable Throwable runScript(StageScript script) {
    driver.start(
        Role.CLIENT,
        () -> {
          try {
            script.run(this);
            // The script is a test: whatever it throws is told to whoever runs it.
          } catch (Exception | AssertionError e) {
            failure = e;
          }
          scheduler.stop();
        });
    NodeLogCapture.captureDuring(scheduler, log.isTracing(), this::onLogged);
    String broken = scheduler.failure();
    return failure == null && broken != null ? new AssertionError(broken) : failure;
  }

  private void onLogged(LogRecord entry) {
    SimulatedThread thread = scheduler.current();
    SimulatedHost host = thread == null ? driver : thread.host();
    log.print("log", host, NodeLogCapture.text(entry));
    if (entry.getThrown() != null) {
      scheduler.fail(host + " logged " + NodeLogCapture.text(entry));
    }
  }

  private void checkInvariants() {
    invariantChecker.checkLeaders();
    if (random.nextInt(40) == 0) {
      invariantChecker.checkVersions();
    }
  }

  private List<InvariantChecker.InspectedNode> inspectedNodes() {
    return nodes.stream()
        .filter(StageNode::isAlive)
        .map(
            actor ->
                new InvariantChecker.InspectedNode(
                    actor.transport().member().id(),
                    actor.name(),
                    SimulatedCapacity.DEFAULT,
                    new GridNodeInspection(
                        actor.inspection(), NodeStore.NONE, new KeyNumbering(KeyForm.TEXT), 1)))
        .toList();
  }

  /** The seed, for what is to be different in each. */
  public long seed() {
    return seed;
  }

  /** A number the seed draws, at least 0 and less than a bound. */
  public int drawBelow(int bound) {
    return random.nextInt(bound);
  }

  // ------------------------------------------------------------------ nodes

  /** Founds a grid; returns once all know each other and have the cache. */
  public List<StageNode> startGrid(int nodes, CacheConfig cache) {
    config = cache;
    List<StageNode> founders = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      founders.add(startNode("n" + i, nodes));
    }
    founders.forEach(StageNode::awaitJoined);
    awaitSettled();
    return founders;
  }

  /** A node that begins to join. */
  public StageNode startNode(String name) {
    return startNode(name, 1);
  }

  /** A node that begins to join, or to found a grid with others. */
  public StageNode startNode(String name, int initialMembers) {
    SimulatedHost host = new SimulatedHost(scheduler, nodes.size() + 1, name, random.split());
    StageNode actor =
        new StageNode(
            this,
            host,
            network.attachTransport(host),
            GridConfig.named("stage")
                .nodeName(name)
                .initialMembers(initialMembers)
                .whenCut(whenCut)
                .timeout(TIMEOUT)
                .leaveTimeout(Duration.ofMinutes(2))
                .allowing(ScriptedStage.class.getPackageName() + ".scenario"));
    nodes.add(actor);
    actor.start(config);
    return actor;
  }

  /** Has the network see within some time who was killed, as it does where sockets close. */
  public void setDetectionLimit(Duration time) {
    network.setDetectionLimit(time.toNanos());
  }

  /** What nodes do that are cut off; said before there are any. */
  public void setWhenCut(WhenCut choice) {
    whenCut = choice;
  }

  /** Of which kind the cache is, where no {@link #startGrid} says so. */
  public void setCacheConfig(CacheConfig cache) {
    config = cache;
  }

  /** Every node that has joined and neither left nor died. */
  public List<StageNode> steadyNodes() {
    return nodes.stream().filter(StageNode::isSteady).toList();
  }

  StageNode nodeOf(Member member) {
    return nodes.stream()
        .filter(actor -> actor.transport().member().equals(member))
        .findFirst()
        .orElseThrow();
  }

  /** The node of a name that was there last. */
  public StageNode nodeOf(String name) {
    return nodes.reversed().stream()
        .filter(actor -> actor.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The owners of a key, the primary first, as some node knows them. */
  public List<StageNode> ownersOf(String key) {
    return ownersOf(key, steadyNodes().getFirst());
  }

  /** The owners of a key, the primary first, as this node knows them. */
  public List<StageNode> ownersOf(String key, StageNode knowing) {
    return knowing.cache().owners(key).stream().map(this::nodeOf).toList();
  }

  /** The primary of a key. */
  public StageNode primaryOf(String key) {
    return ownersOf(key).getFirst();
  }

  /** A node that does not own a key; the first of them. */
  public StageNode nonOwnerOf(String key) {
    List<StageNode> owners = ownersOf(key);
    return steadyNodes().stream()
        .filter(actor -> !owners.contains(actor))
        .findFirst()
        .orElseThrow();
  }

  /** The node whose host the calling thread is on. */
  public StageNode currentNode() {
    SimulatedThread running = scheduler.current();
    return nodes.stream()
        .filter(actor -> running != null && actor.host() == running.host())
        .findFirst()
        .orElseThrow();
  }

  void kill(StageNode actor) {
    if (actor.isAlive()) {
      log.record(EventKind.CRASH, actor.host(), () -> "");
      network.crash(actor.transport());
    }
  }

  /** Has a node stand still. */
  public void pause(StageNode actor, Duration time) {
    log.print("pause", actor.host(), time.toString());
    actor.host().pause(time.toNanos());
    network.views().onReachChange();
    scheduler.schedule(time.toNanos(), null, network.views()::onReachChange);
  }

  /** Has a node stand still for too short a time for anybody to notice. */
  public void suspend(StageNode actor, Duration time) {
    actor.host().pause(time.toNanos());
  }

  // ------------------------------------------------------------------ links

  /** Cuts all ways from some nodes to others, until {@link #heal}. */
  public void cutOneWay(Collection<StageNode> from, Collection<StageNode> to) {
    log.print("cut", driver, from + " to " + to);
    network.cut(NetworkCut.oneWay(nodeIndexes(from), nodeIndexes(to)));
  }

  /** Cuts all ways between groups of nodes, both ways, until {@link #heal}. */
  public void partition(List<List<StageNode>> groups) {
    for (List<StageNode> one : groups) {
      for (List<StageNode> other : groups) {
        if (!one.equals(other)) {
          cutOneWay(one, other);
        }
      }
    }
  }

  /** Cuts a node off, both ways, until {@link #heal}. */
  public void isolate(StageNode actor) {
    List<StageNode> others = new ArrayList<>(nodes);
    others.remove(actor);
    partition(List.of(List.of(actor), others));
  }

  private static List<Integer> nodeIndexes(Collection<StageNode> some) {
    return some.stream().map(actor -> actor.transport().nodeIndex()).toList();
  }

  /** Ends every cut. */
  public void heal() {
    log.print("heal", driver, "");
    network.healAll();
  }

  // ------------------------------------------------------------------ messages

  /** Has messages be lost. */
  public MessageRule dropMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.DROPPED, () -> {});
  }

  /** Has messages wait where they have arrived. */
  public MessageRule holdMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.HELD, () -> {});
  }

  /** Has messages handed over twice. */
  public MessageRule duplicateMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.DOUBLED, () -> {});
  }

  /** Only counts messages. */
  public MessageRule countMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.PASSED, () -> {});
  }

  /** Has something happen before the message with this place among such, from 1, is handed over. */
  public MessageRule runBefore(Predicate<StageMessage> filter, int place, Runnable action) {
    int[] seen = new int[1];
    return addRule(
        filter,
        MessageFate.PASSED,
        () -> {
          if (++seen[0] == place) {
            action.run();
          }
        });
  }

  private MessageRule addRule(Predicate<StageMessage> filter, MessageFate fate, Runnable action) {
    return interceptor.addRule(new MessageRule(filter, fate, action));
  }

  /** How many messages of some kinds were sent so far. */
  public long sentCount(MessageKind... kinds) {
    return interceptor.sentCount(kinds);
  }

  MessageInterceptor traffic() {
    return interceptor;
  }

  // ------------------------------------------------------------------ time

  /** The time, for differences. */
  public long nowNanos() {
    return scheduler.nowNanos();
  }

  /** Lets time pass. */
  public void advanceTime(Duration time) {
    long end = scheduler.nowNanos() + time.toNanos();
    while (scheduler.nowNanos() < end) {
      driver.clock().parkNanos(this, end - scheduler.nowNanos());
    }
  }

  /** Lets a thread of a node do nothing for a while, half of it to all of it. */
  public void restNode(StageNode actor, long nanos) {
    long end = scheduler.nowNanos() + nanos / 2 + random.nextLong(nanos / 2);
    // A call that ended by itself may have left a wake-up behind.
    while (scheduler.nowNanos() < end) {
      actor.host().clock().parkNanos(actor, end - scheduler.nowNanos());
    }
  }

  /** Waits for something that comes by itself, a minute at most. */
  public void await(String expectation, BooleanSupplier condition) {
    long deadline = scheduler.nowNanos() + AWAIT_TIMEOUT_NANOS;
    while (!condition.getAsBoolean()) {
      if (scheduler.nowNanos() > deadline) {
        throw new AssertionError(
            "waited a minute for " + expectation + "; threads:\n" + scheduler.dumpThreads());
      }
      driver.clock().parkNanos(this, POLL_NANOS);
    }
  }

  /** Waits until every node that is there knows the others and says that nothing moves. */
  public void awaitSettled() {
    await("everything to settle", this::isSettled);
  }

  private boolean isSettled() {
    List<StageNode> present = steadyNodes();
    List<String> names = present.stream().map(StageNode::name).sorted().toList();
    return present.stream()
        .allMatch(
            actor ->
                actor.node().settled()
                    && actor.inspection().hasLease()
                    && actor.node().members().stream().sorted().toList().equals(names));
  }

  /**
   * Ends everything that was done to the network, waits until all is settled, and checks that all
   * owners of a segment hold the same, others nothing, each as many owners as the cache asks for.
   */
  public void settle() {
    interceptor.endAllRules();
    network.endDisturbances();
    awaitSettled();
    await("copies to be equal", () -> invariantChecker.differences().isEmpty());
    StageNode any = steadyNodes().getFirst();
    int wanted =
        config.mode() == CacheMode.REPLICATED
            ? steadyNodes().size()
            : Math.min(config.owners(), steadyNodes().size());
    for (int segment = 0; segment < config.segments(); segment++) {
      List<UUID> owners = any.inspection().owners(0, segment);
      if (owners.size() != wanted) {
        throw new AssertionError("segment " + segment + " has the owners " + owners);
      }
    }
  }

  /** Every thread of a live node, with its stack. */
  public String threadNames() {
    return scheduler.dumpThreads();
  }
}
