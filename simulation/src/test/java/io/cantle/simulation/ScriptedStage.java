package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.GridConfig;
import io.cantle.WhenCut;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule.MessageFate;
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
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * A stage on which a script controls a few real nodes. The script decides which message is lost,
 * held or duplicated, which link is cut, which node is killed, paused, started or told to leave,
 * and when. What it leaves open, above all the order of threads and the delay of messages, is drawn
 * from the seed, so each script runs with several seeds. The {@link InvariantChecker} checks the
 * nodes all the time.
 *
 * <p>A script runs on a thread of its own within the simulation and waits in virtual time.
 *
 * <p><b>Threading:</b> the carrier of its seed; called by the script.
 */
// Public for its subpackage; no other module can require test code.
@SuppressWarnings("exports")
public final class ScriptedStage {
  /** The name of the cache in all scripts. */
  public static final String CACHE = "scripted";

  /** How long a call may take. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long MILLISECOND_NANOS = 1_000_000L;
  private static final long POLL_NANOS = 2 * MILLISECOND_NANOS;
  private static final long CHECK_INTERVAL_NANOS = 5 * MILLISECOND_NANOS;
  private static final long AWAIT_TIMEOUT_NANOS = 60 * SECOND_NANOS;
  private static final Limits LIMITS = new Limits(20_000_000, 1_000 * SECOND_NANOS);

  private static final String PACKAGE = ScriptedStage.class.getPackageName();

  /** Every second seed has a network that itself loses, duplicates and delays some messages. */
  private static final NetworkConditions BAD_CONDITIONS =
      new NetworkConditions(5 * MILLISECOND_NANOS, 0.01, 0.01, 0.01, 0.02, 0);

  /** What a node has logged. */
  private record LoggedLine(String host, Level level, String text) {}

  private final long seed;
  private final SimulationScheduler scheduler;
  private final EventLog log;
  private final SplittableRandom random;
  private final SimulatedHost driver;
  private final SimulatedNetwork network;
  private final InvariantChecker invariantChecker;
  private final List<StageNode> nodes = new ArrayList<>();
  private final List<LoggedLine> logLines = new ArrayList<>();
  private final @Nullable ExactHosts exact;
  private final MessageInterceptor interceptor;
  private CacheConfig config = CacheConfig.distributed();
  private WhenCut whenCut = WhenCut.stop();
  private @Nullable Throwable failure;

  /**
   * @param hints whether views may be wrong
   * @param trace where every event is printed, or null
   */
  ScriptedStage(long seed, boolean hints, @Nullable PrintStream trace) {
    // Where the network itself disturbs nothing, views are true as well.
    this(
        seed,
        hints,
        seed % 2 == 0 ? BAD_CONDITIONS : NetworkConditions.FAIR,
        trace,
        (message, event) -> {});
  }

  /** Creates a stage on which only the script decides what happens and when. */
  public static ScriptedStage exact(MessageObserver observer) {
    return new ScriptedStage(1, false, NetworkConditions.EXACT, null, observer);
  }

  private ScriptedStage(
      long seed,
      boolean hints,
      NetworkConditions conditions,
      @Nullable PrintStream trace,
      MessageObserver observer) {
    this.seed = seed;
    random = new SplittableRandom(seed);
    scheduler = new SimulationScheduler(random.split(), LIMITS);
    log = new EventLog(scheduler, trace);
    driver = new SimulatedHost(scheduler, 0, "-", random.split());
    if (conditions.exact()) {
      scheduler.runInOrder();
      driver.makeExact();
    }
    network =
        new SimulatedNetwork(
            scheduler,
            log,
            conditions,
            hints,
            random.split(),
            GridNodeUnderTest.createStarter()::describeMessage);
    exact = conditions.exact() ? new ExactHosts(network) : null;
    interceptor = new MessageInterceptor(log, observer);
    invariantChecker = new InvariantChecker(this::inspectedNodes, scheduler::fail);
    scheduler.watchEvery(CHECK_INTERVAL_NANOS, this::checkInvariants);
  }

  /** Runs a script to its end; returns what it threw, or what does not hold, or null. */
  public @Nullable Throwable runScript(StageScript script) {
    driver.start(
        Role.CLIENT,
        () -> {
          try {
            script.run(this);
            // The script is a test: whatever it throws is reported to its runner.
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
    logLines.add(new LoggedLine(host.name(), entry.getLevel(), NodeLogCapture.text(entry)));
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
                    actor.checkedView()))
        .toList();
  }

  /** From now on the lines are kept that nodes log at INFO or above. */
  public void keepLog() {
    NodeLogCapture.captureFrom(Level.INFO);
    logLines.clear();
  }

  /** Returns what a node has logged at INFO or above since {@link #keepLog}, and forgets that. */
  public List<String> takeLog(StageNode actor) {
    List<LoggedLine> taken =
        logLines.stream()
            .filter(line -> line.host.equals(actor.name()))
            .filter(line -> line.level.intValue() >= Level.INFO.intValue())
            .toList();
    logLines.removeAll(taken);
    return taken.stream().map(LoggedLine::text).toList();
  }

  /** Returns the seed, for what should differ between seeds. */
  public long seed() {
    return seed;
  }

  /** Draws a number, at least 0 and less than a bound. */
  public int drawBelow(int bound) {
    return random.nextInt(bound);
  }

  /** Founds a grid; returns once all nodes know each other and have the cache. */
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

  /** Starts a node, which begins to join. */
  public StageNode startNode(String name) {
    return startNode(name, 1);
  }

  /** Starts a node, which begins to join or to found a grid with others. */
  public StageNode startNode(String name, int initialMembers) {
    SimulatedHost host = new SimulatedHost(scheduler, nodes.size() + 1, name, random.split());
    StageNode actor =
        new StageNode(
            this,
            host,
            exact == null
                ? network.attachTransport(host)
                : exact.attachTransport(host, config.durability().keeps()),
            GridConfig.named("stage")
                .nodeName(name)
                .initialMembers(initialMembers)
                .whenCut(whenCut)
                .timeout(TIMEOUT)
                .leaveTimeout(Duration.ofMinutes(2))
                .allowing(PACKAGE + ".scenario", PACKAGE + ".script"));
    nodes.add(actor);
    actor.start(config);
    return actor;
  }

  /** Sets the time within which the network detects a kill, as it does where sockets close. */
  public void setDetectionLimit(Duration time) {
    network.setDetectionLimit(time.toNanos());
  }

  /** Sets what nodes do when they are cut off; called before there are any nodes. */
  public void setWhenCut(WhenCut choice) {
    whenCut = choice;
  }

  /** Sets the configuration of the cache, where no {@link #startGrid} does so. */
  public void setCacheConfig(CacheConfig cache) {
    config = cache;
  }

  /** Returns every node that has joined and has neither left nor died. */
  public List<StageNode> steadyNodes() {
    return nodes.stream().filter(StageNode::isSteady).toList();
  }

  StageNode nodeOf(Member member) {
    return nodes.stream()
        .filter(actor -> actor.transport().member().equals(member))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the latest node of a name. */
  public StageNode nodeOf(String name) {
    return nodes.reversed().stream()
        .filter(actor -> actor.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the owners of a key, the primary first, as some node knows them. */
  public List<StageNode> ownersOf(String key) {
    return ownersOf(key, steadyNodes().getFirst());
  }

  /** Returns the owners of a key, the primary first, as this node knows them. */
  public List<StageNode> ownersOf(String key, StageNode knowing) {
    return knowing.cache().owners(key).stream().map(this::nodeOf).toList();
  }

  /** Returns the primary of a key. */
  public StageNode primaryOf(String key) {
    return ownersOf(key).getFirst();
  }

  /** Returns the first node that does not own a key. */
  public StageNode nonOwnerOf(String key) {
    List<StageNode> owners = ownersOf(key);
    return steadyNodes().stream()
        .filter(actor -> !owners.contains(actor))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the node whose host the calling thread is on. */
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

  /** Pauses a node. */
  public void pause(StageNode actor, Duration time) {
    log.print("pause", actor.host(), time.toString());
    actor.host().pause(time.toNanos());
    network.views().onReachChange();
    scheduler.schedule(time.toNanos(), null, network.views()::onReachChange);
  }

  /** Pauses a node too briefly for anybody to notice. */
  public void suspend(StageNode actor, Duration time) {
    actor.host().pause(time.toNanos());
  }

  /** Cuts all links from some nodes to others, until {@link #heal}. */
  public void cutOneWay(Collection<StageNode> from, Collection<StageNode> to) {
    log.print("cut", driver, from + " to " + to);
    network.cut(NetworkCut.oneWay(nodeIndexes(from), nodeIndexes(to)));
  }

  /** Cuts all links between groups of nodes, both ways, until {@link #heal}. */
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

  /** Returns whether messages from one node to another arrive now. */
  boolean reaches(StageNode from, StageNode to) {
    return to.isAlive() && !network.isCut(from.transport().nodeIndex(), to.transport().nodeIndex());
  }

  /** Ends every cut. */
  public void heal() {
    log.print("heal", driver, "");
    network.healAll();
  }

  // ------------------------------------------------------------------ messages

  /** Drops messages. */
  public MessageRule dropMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.DROPPED, () -> {});
  }

  /** Drops all messages by which a node would learn of the next topologies. */
  public MessageRule dropTopologiesTo(StageNode node) {
    return dropMessages(
        letter ->
            letter.to() == node
                && letter.isOneOf(
                    MessageKind.TOPOLOGY,
                    MessageKind.ACCEPT,
                    MessageKind.DECIDED,
                    MessageKind.PREPARE));
  }

  /** Holds messages where they have arrived. */
  public MessageRule holdMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.HELD, () -> {});
  }

  /** Delivers messages twice. */
  public MessageRule duplicateMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.DOUBLED, () -> {});
  }

  /** Only counts messages. */
  public MessageRule countMessages(Predicate<StageMessage> filter) {
    return addRule(filter, MessageFate.PASSED, () -> {});
  }

  /** Runs an action before the n-th such message, from 1, is delivered. */
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

  /** Returns how many messages of some kinds were sent so far. */
  public long sentCount(MessageKind... kinds) {
    return interceptor.sentCount(kinds);
  }

  /** Ends every rule and delivers what is held. */
  public void releaseMessages() {
    interceptor.endAllRules();
  }

  MessageInterceptor traffic() {
    return interceptor;
  }

  // ------------------------------------------------------------------ time

  /** Returns the time, for differences. */
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

  /** Lets a thread of a node rest for a while, from half of the time to all of it. */
  public void restNode(StageNode actor, long nanos) {
    long end = scheduler.nowNanos() + nanos / 2 + random.nextLong(nanos / 2);
    // A call that ended by itself may have left a wake-up behind.
    while (scheduler.nowNanos() < end) {
      actor.host().clock().parkNanos(actor, end - scheduler.nowNanos());
    }
  }

  /** Waits for a condition that becomes true by itself, a minute at most. */
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

  /** Waits until every live node knows the others and reports that nothing moves. */
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
   * Ends all disturbances of the network and waits until all is settled. It then checks that each
   * segment has as many owners as the cache asks for, that they all hold the same, and that the
   * others hold nothing.
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

  /** Returns every thread of a live node, with its stack. */
  public String threadNames() {
    return scheduler.dumpThreads();
  }
}
