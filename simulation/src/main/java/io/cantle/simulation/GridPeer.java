package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.node.Node;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.Scenario.Seat;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A real node with one cache.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
final class GridPeer implements Peer {
  private static final Kind[] KINDS = Kind.values();

  /** Who leaves without having handed over is as good as killed, which nobody has counted on. */
  private static final Duration LEAVE_TIMEOUT = Duration.ofMinutes(30);

  /** How many nodes of the seed have joined by now. */
  private final AtomicInteger joined;

  /** After so many elements readers pause where there is little memory. */
  private static final int SLOW_AFTER = 5;

  private static final long SHORT_PAUSE_NANOS = 100_000_000;
  private static final long LONG_PAUSE_NANOS = 3_500_000_000L;

  private final Host host;
  private final Scenario scenario;
  private final Keys keys;
  private final Node node;
  private final GridInsight insight;
  private @Nullable Cache<Object, Stamp> opened;

  /** Who comes later joins, and never founds a grid with others that come later. */
  private static final int NEVER_FOUNDS = 1_000;

  private GridPeer(Scenario scenario, Host host, Transport transport, AtomicInteger joined) {
    this.joined = joined;
    this.host = host;
    this.scenario = scenario;
    this.keys = new Keys(scenario.keyForm());
    Seat seat = scenario.seat(host.name());
    GridConfig config =
        GridConfig.named("simulation")
            .nodeName(host.name())
            .initialMembers(joined.get() < scenario.nodes() ? founders(scenario) : NEVER_FOUNDS)
            .capacity(seat.capacity())
            .rack(seat.rack())
            .whenCut(scenario.available() ? WhenCut.available(MergePolicy.newer()) : WhenCut.stop())
            .timeout(scenario.timeout())
            .leaveTimeout(LEAVE_TIMEOUT)
            .allowing(GridPeer.class.getPackageName());
    this.node =
        new Node(
            config,
            GridPeer.class.getClassLoader(),
            transport,
            host.world(),
            host.store(),
            () -> {});
    this.insight = new GridInsight(node.inspection(), host.store(), keys, scenario.valueBytes());
  }

  private static int founders(Scenario scenario) {
    return scenario.foundedApart() ? 1 : scenario.nodes();
  }

  /** Makes the nodes of one seed. */
  static Starter starter() {
    AtomicInteger joined = new AtomicInteger();
    return new Starter() {
      @Override
      public Peer peer(Scenario scenario, Host host, Transport transport) {
        return new GridPeer(scenario, host, transport, joined);
      }

      @Override
      public String describe(byte[] message) {
        // Behind the version byte: see the envelope of the core's requests.
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
        opened = node.cache("simulated", scenario.cache());
      } catch (GridException e) {
        if (!scenario.durable() || !e.retrySafe()) {
          node.close();
          throw e;
        }
        // Where disks are slow founding may take longer than the shortest calls may, and nodes that
        // go for that keep others from it.
      }
    }
    joined.incrementAndGet();
  }

  @Override
  public Cache<Object, Stamp> cache() {
    Cache<Object, Stamp> cache = opened;
    if (cache == null) {
      throw new IllegalStateException("the node was not started");
    }
    return cache;
  }

  @Override
  public long call(Operation operation) {
    return call(operation, cache());
  }

  @Override
  public boolean hasLifetimes() {
    return true;
  }

  @Override
  public long call(Operation operation, Duration lifespan, Duration idle) {
    return call(operation, cache().lifespan(lifespan).maxIdle(idle));
  }

  private long call(Operation operation, Cache<Object, Stamp> cache) {
    int number = operation.key();
    Object key = keys.of(number);
    Stamp value = stamp(number, operation.value());
    Stamp expected = stamp(number, operation.expected());
    return switch (operation.kind()) {
      case GET -> id(number, cache.get(key));
      case CONTAINS -> flag(cache.containsKey(key));
      case PUT -> id(number, cache.put(key, value));
      case PUT_IF_ABSENT -> id(number, cache.putIfAbsent(key, value));
      case REMOVE -> id(number, cache.remove(key));
      case REMOVE_IF -> flag(cache.remove(key, expected));
      case REPLACE -> id(number, cache.replace(key, value));
      case REPLACE_IF -> flag(cache.replace(key, expected, value));
      case MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT ->
          id(
              number,
              (operation.value() & 3) == 0
                  ? computedHere(operation.kind(), key, value)
                  : computedAtPrimary(operation.kind(), key, value));
      case INCREMENT -> id(number, cache.merge(key, stamp(number, 1), Stamp::plus));
      case END -> throw new IllegalArgumentException("nobody calls the end of a value");
    };
  }

  /** Lambdas in place become functions that are sent. */
  private @Nullable Stamp computedAtPrimary(Operation.Kind kind, Object key, Stamp value) {
    Cache<Object, Stamp> cache = cache();
    return switch (kind) {
      case MERGE -> cache.merge(key, value, GridPeer::joined);
      case COMPUTE -> cache.compute(key, (same, old) -> computed(old, value));
      case COMPUTE_IF_ABSENT -> cache.computeIfAbsent(key, same -> slowly(value));
      case COMPUTE_IF_PRESENT -> cache.computeIfPresent(key, (same, old) -> joined(old, value));
      default -> throw new IllegalArgumentException("no function is in " + kind);
    };
  }

  /** Functions that cannot be sent. */
  private @Nullable Stamp computedHere(Operation.Kind kind, Object key, Stamp value) {
    Cache<Object, Stamp> cache = cache();
    BiFunction<Stamp, Stamp, Stamp> joined = GridPeer::joined;
    BiFunction<Object, @Nullable Stamp, @Nullable Stamp> computed =
        (same, old) -> computed(old, value);
    BiFunction<Object, Stamp, Stamp> added = (same, old) -> joined(old, value);
    Function<Object, Stamp> given = same -> slowly(value);
    return switch (kind) {
      case MERGE -> cache.merge(key, value, joined);
      case COMPUTE -> cache.compute(key, computed);
      case COMPUTE_IF_ABSENT -> cache.computeIfAbsent(key, given);
      case COMPUTE_IF_PRESENT -> cache.computeIfPresent(key, added);
      default -> throw new IllegalArgumentException("no function is in " + kind);
    };
  }

  private static Stamp joined(Stamp old, Stamp added) {
    return slowly(old.joinedWith(added));
  }

  /** Takes its time, so that others write while a function is at work. */
  private static Stamp slowly(Stamp value) {
    Host.dawdle();
    return value;
  }

  private static @Nullable Stamp computed(@Nullable Stamp before, Stamp added) {
    slowly(added);
    if (before == null) {
      return added;
    }
    return Operation.computed(before.id(), added.id()) == Operation.ABSENT
        ? null
        : before.joinedWith(added);
  }

  private Stamp stamp(int key, long id) {
    return Stamp.of(key, id, scenario.valueBytes());
  }

  private static long id(int key, @Nullable Stamp value) {
    return value == null ? Operation.ABSENT : value.checkedId(key);
  }

  private static long flag(boolean value) {
    return value ? 1 : 0;
  }

  @Override
  public void putAll(Map<Integer, Long> values) {
    Map<Object, Stamp> entries = new LinkedHashMap<>();
    new TreeMap<>(values).forEach((key, value) -> entries.put(keys.of(key), stamp(key, value)));
    cache().putAll(entries);
  }

  @Override
  public void walk(Scan scan, int most) {
    switch (scan.kind()) {
      case ENTRIES ->
          iterate(
              scan,
              most,
              cache().entrySet().iterator(),
              entry -> Keys.number(entry.getKey()),
              GridPeer::id);
      case KEYS ->
          iterate(scan, most, cache().keySet().iterator(), Keys::number, key -> Scan.UNTOLD);
      case VALUES ->
          iterate(
              scan,
              most,
              cache().values().iterator(),
              Stamp::key,
              value -> value.checkedId(value.key()));
      case COLLECTED -> {
        List<Stamp> all = cache().values().stream().collect(() -> Collectors.toList());
        all.forEach(value -> scan.deliver(value.key(), value.checkedId(value.key())));
        scan.complete();
      }
      case REDUCED -> {
        // A text, not a sum: it shows a key that was counted twice.
        String all =
            cache().keySet().stream()
                .map(key -> Keys.number(key) + " ")
                .reduce("", (left, right) -> left + right);
        for (String number : all.split(" ", -1)) {
          if (!number.isEmpty()) {
            scan.deliver(Integer.parseInt(number), Scan.UNTOLD);
          }
        }
        scan.complete();
      }
    }
  }

  private <E> void iterate(
      Scan scan,
      int most,
      CloseableIterator<E> elements,
      ToIntFunction<E> key,
      ToLongFunction<E> value) {
    try (elements) {
      while (elements.hasNext()) {
        E element = elements.next();
        scan.deliver(key.applyAsInt(element), value.applyAsLong(element));
        int count = scan.deliveries().size();
        if (count >= most) {
          return;
        }
        if (scenario.hasLittleMemory() && count == SLOW_AFTER) {
          // What it has not read by then is dropped, for others or anyway.
          boolean isLong = scan.began() % 2 == 0;
          host.clock().sleepNanos(scan, isLong ? LONG_PAUSE_NANOS : SHORT_PAUSE_NANOS);
        }
      }
      scan.complete();
    }
  }

  private static long id(Map.Entry<Object, Stamp> entry) {
    return entry.getValue().checkedId(Keys.number(entry.getKey()));
  }

  @Override
  public long count() {
    return cache().values().stream().filter(value -> value.id() != Operation.ABSENT).count();
  }

  @Override
  public long size() {
    return cache().mappingCount();
  }

  @Override
  public boolean settled(List<String> present) {
    return node.settled() && node.members().stream().sorted().toList().equals(present);
  }

  @Override
  public MergeLosses mergeLosses() {
    return node.mergeLosses();
  }

  @Override
  public void acceptLoss() {
    node.acceptLoss("simulated");
  }

  @Override
  public Insight insight() {
    return insight;
  }

  @Override
  public void close() {
    node.close();
  }
}
