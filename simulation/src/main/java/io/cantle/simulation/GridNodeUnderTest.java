package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.node.Node;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SeedScenario.SimulatedCapacity;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A real node with one cache, as the system under test.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
final class GridNodeUnderTest implements NodeUnderTest {
  private static final MessageKind[] KINDS = MessageKind.values();

  /**
   * A node that leaves without having handed over is as good as killed, and nobody has accounted
   * for that crash.
   */
  private static final Duration LEAVE_TIMEOUT = Duration.ofMinutes(30);

  /** How many nodes of the seed have joined so far. */
  private final AtomicInteger joined;

  /** Where there is little memory, readers pause after this many elements. */
  private static final int SLOW_AFTER = 5;

  private static final long SHORT_PAUSE_NANOS = 100_000_000;
  private static final long LONG_PAUSE_NANOS = 3_500_000_000L;

  private final SimulatedHost host;
  private final SeedScenario scenario;
  private final KeyNumbering keys;
  private final Node node;
  private final GridNodeInspection insight;
  private @Nullable Cache<Object, StampedValue> opened;

  /** A node that starts later joins; it never founds a grid with other late nodes. */
  private static final int NEVER_FOUNDS = 1_000;

  private GridNodeUnderTest(
      SeedScenario scenario, SimulatedHost host, Transport transport, AtomicInteger joined) {
    this.joined = joined;
    this.host = host;
    this.scenario = scenario;
    this.keys = new KeyNumbering(scenario.keyForm());
    SimulatedCapacity seat = scenario.capacityOf(host.name());
    GridConfig alone =
        GridConfig.named("simulation")
            .nodeName(host.name())
            .initialMembers(joined.get() < scenario.nodes() ? founderNames(scenario) : NEVER_FOUNDS)
            .capacity(seat.capacity())
            .whenCut(
                scenario.isAvailable() ? WhenCut.available(MergePolicy.newer()) : WhenCut.stop())
            .timeout(scenario.timeout())
            .leaveTimeout(LEAVE_TIMEOUT)
            .allowing(GridNodeUnderTest.class.getPackageName());
    GridConfig config = seat.rack().isEmpty() ? alone : alone.rack(seat.rack());
    this.node =
        new Node(
            config,
            GridNodeUnderTest.class.getClassLoader(),
            transport,
            host.world(),
            host.store(),
            () -> {});
    this.insight =
        new GridNodeInspection(node.grid().inspector(), host.store(), keys, scenario.valueBytes());
  }

  private static int founderNames(SeedScenario scenario) {
    return scenario.isFoundedApart() ? 1 : scenario.nodes();
  }

  /** Returns the starter for the nodes of one seed. */
  static NodeStarter createStarter() {
    AtomicInteger joined = new AtomicInteger();
    return new NodeStarter() {
      @Override
      public NodeUnderTest start(SeedScenario scenario, SimulatedHost host, Transport transport) {
        return new GridNodeUnderTest(scenario, host, transport, joined);
      }

      @Override
      public String describeMessage(byte[] message) {
        // The kind follows the version byte; see the envelope of the core's requests.
        int kind = message.length < 2 ? -1 : message[1];
        return kind >= 0 && kind < KINDS.length ? KINDS[kind].toString() : "?";
      }
    };
  }

  @Override
  public void start() {
    node.start();
    while (opened == null) {
      try {
        opened = node.grid().cache(GridNodeInspection.CACHE, scenario.cache());
      } catch (GridException e) {
        if (!scenario.isDurable() || !e.retrySafe()) {
          node.grid().close();
          throw e;
        }
        // Where disks are slow, founding may take longer than the shortest call timeout. Nodes
        // that give up for that reason keep the others from founding.
      }
    }
    joined.incrementAndGet();
  }

  @Override
  public Cache<Object, StampedValue> cache() {
    Cache<Object, StampedValue> cache = opened;
    if (cache == null) {
      throw new IllegalStateException("the node was not started");
    }
    return cache;
  }

  @Override
  public Grid grid() {
    return node.grid();
  }

  @Override
  public long call(MapOperation operation) {
    return call(operation, cache());
  }

  @Override
  public boolean hasLifetimes() {
    return true;
  }

  @Override
  public long call(MapOperation operation, Duration lifespan, Duration idle) {
    return call(operation, cache().lifespan(lifespan).maxIdle(idle));
  }

  private long call(MapOperation operation, Cache<Object, StampedValue> cache) {
    int number = operation.key();
    Object key = keys.toKey(number);
    StampedValue value = stampedValue(number, operation.value());
    StampedValue expected = stampedValue(number, operation.expected());
    return switch (operation.kind()) {
      case GET -> idOf(number, cache.get(key));
      case CONTAINS -> asFlag(cache.containsKey(key));
      case PUT -> idOf(number, cache.put(key, value));
      case PUT_IF_ABSENT -> idOf(number, cache.putIfAbsent(key, value));
      case REMOVE -> idOf(number, cache.remove(key));
      case REMOVE_IF -> asFlag(cache.remove(key, expected));
      case REPLACE -> idOf(number, cache.replace(key, value));
      case REPLACE_IF -> asFlag(cache.replace(key, expected, value));
      case MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT ->
          idOf(
              number,
              (operation.value() & 3) == 0
                  ? computedHere(operation.kind(), key, value)
                  : computedAtPrimary(operation.kind(), key, value));
      case INCREMENT ->
          idOf(number, cache.merge(key, stampedValue(number, 1), StampedValue::withAdded));
      case END -> throw new IllegalArgumentException("no client can call the expiry of a value");
    };
  }

  /** Uses lambdas written in place, which become functions that are sent to the primary. */
  private @Nullable StampedValue computedAtPrimary(
      MapOperation.Kind kind, Object key, StampedValue value) {
    Cache<Object, StampedValue> cache = cache();
    return switch (kind) {
      case MERGE -> cache.merge(key, value, GridNodeUnderTest::joinValues);
      case COMPUTE -> cache.compute(key, (same, old) -> computeValue(old, value));
      case COMPUTE_IF_ABSENT -> cache.computeIfAbsent(key, same -> slowIdentity(value));
      case COMPUTE_IF_PRESENT -> cache.computeIfPresent(key, (same, old) -> joinValues(old, value));
      default -> throw new IllegalArgumentException("no function is in " + kind);
    };
  }

  /** Uses functions that cannot be sent, so the value is computed here. */
  private @Nullable StampedValue computedHere(
      MapOperation.Kind kind, Object key, StampedValue value) {
    Cache<Object, StampedValue> cache = cache();
    BiFunction<StampedValue, StampedValue, StampedValue> joined = GridNodeUnderTest::joinValues;
    BiFunction<Object, @Nullable StampedValue, @Nullable StampedValue> computed =
        (same, old) -> computeValue(old, value);
    BiFunction<Object, StampedValue, StampedValue> added = (same, old) -> joinValues(old, value);
    Function<Object, StampedValue> given = same -> slowIdentity(value);
    return switch (kind) {
      case MERGE -> cache.merge(key, value, joined);
      case COMPUTE -> cache.compute(key, computed);
      case COMPUTE_IF_ABSENT -> cache.computeIfAbsent(key, given);
      case COMPUTE_IF_PRESENT -> cache.computeIfPresent(key, added);
      default -> throw new IllegalArgumentException("no function is in " + kind);
    };
  }

  private static StampedValue joinValues(StampedValue old, StampedValue added) {
    return slowIdentity(old.joinedWith(added));
  }

  /** Takes its time, so that others write while a function runs. */
  private static StampedValue slowIdentity(StampedValue value) {
    SimulatedHost.delayBriefly();
    return value;
  }

  private static @Nullable StampedValue computeValue(
      @Nullable StampedValue before, StampedValue added) {
    slowIdentity(added);
    if (before == null) {
      return added;
    }
    return MapOperation.computeValue(before.id(), added.id()) == MapOperation.ABSENT
        ? null
        : before.joinedWith(added);
  }

  private StampedValue stampedValue(int key, long id) {
    return StampedValue.of(key, id, scenario.valueBytes());
  }

  private static long idOf(int key, @Nullable StampedValue value) {
    return value == null ? MapOperation.ABSENT : value.verifyId(key);
  }

  private static long asFlag(boolean value) {
    return value ? 1 : 0;
  }

  @Override
  public void putAll(Map<Integer, Long> values) {
    Map<Object, StampedValue> entries = new LinkedHashMap<>();
    new TreeMap<>(values)
        .forEach((key, value) -> entries.put(keys.toKey(key), stampedValue(key, value)));
    cache().putAll(entries);
  }

  @Override
  public void removeAll(Set<Integer> numbers) {
    cache().removeAll(numbers.stream().sorted().map(keys::toKey).toList());
  }

  @Override
  public void scan(RecordedScan scan, int maxEntries) {
    switch (scan.kind()) {
      case ENTRIES ->
          iterate(
              scan,
              maxEntries,
              cache().entrySet().iterator(),
              entry -> KeyNumbering.toNumber(entry.getKey()),
              GridNodeUnderTest::idOf);
      case KEYS ->
          iterate(
              scan,
              maxEntries,
              cache().keySet().iterator(),
              KeyNumbering::toNumber,
              key -> RecordedScan.NOT_REPORTED);
      case VALUES ->
          iterate(
              scan,
              maxEntries,
              cache().values().iterator(),
              StampedValue::key,
              value -> value.verifyId(value.key()));
      case COLLECTED -> {
        List<StampedValue> all = cache().values().stream().collect(() -> Collectors.toList());
        all.forEach(value -> scan.recordDelivery(value.key(), value.verifyId(value.key())));
        scan.markComplete();
      }
      case REDUCED -> {
        // A text rather than a sum, because it shows a key that was counted twice.
        String all =
            cache().keySet().stream()
                .map(key -> KeyNumbering.toNumber(key) + " ")
                .reduce("", (left, right) -> left + right);
        for (String number : all.split(" ", -1)) {
          if (!number.isEmpty()) {
            scan.recordDelivery(Integer.parseInt(number), RecordedScan.NOT_REPORTED);
          }
        }
        scan.markComplete();
      }
    }
  }

  private <E> void iterate(
      RecordedScan scan,
      int maxEntries,
      CloseableIterator<E> elements,
      ToIntFunction<E> key,
      ToLongFunction<E> value) {
    try (elements) {
      while (elements.hasNext()) {
        E element = elements.next();
        scan.recordDelivery(key.applyAsInt(element), value.applyAsLong(element));
        int count = scan.deliveries().size();
        if (count >= maxEntries) {
          return;
        }
        if (scenario.hasLittleMemory() && count == SLOW_AFTER) {
          // What the node has not read by then is dropped, for other reasons or in any case.
          boolean isLong = scan.began() % 2 == 0;
          host.clock().sleepNanos(scan, isLong ? LONG_PAUSE_NANOS : SHORT_PAUSE_NANOS);
        }
      }
      scan.markComplete();
    }
  }

  private static long idOf(Map.Entry<Object, StampedValue> entry) {
    return entry.getValue().verifyId(KeyNumbering.toNumber(entry.getKey()));
  }

  @Override
  public long count() {
    return cache().values().stream().filter(value -> value.id() != MapOperation.ABSENT).count();
  }

  @Override
  public long size() {
    return cache().mappingCount();
  }

  @Override
  public boolean isSettled(List<String> present) {
    return node.grid().settled()
        && node.grid().members().stream().sorted().toList().equals(present);
  }

  @Override
  public MergeLosses mergeLossCount() {
    return node.grid().mergeLosses();
  }

  @Override
  public void acceptLoss() {
    node.grid().acceptLoss(GridNodeInspection.CACHE);
  }

  @Override
  public NodeInspection insight() {
    return insight;
  }

  @Override
  public void close() {
    node.grid().close();
  }
}
