package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The processes of the nodes, by place. None outlives this object, nor this process.
 *
 * <p><b>Threading:</b> the conductor's thread, but {@link #close} any thread.
 */
final class Fleet implements AutoCloseable {
  private static final Duration JOIN_PATIENCE = Duration.ofMinutes(1);
  private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(5);
  private static final Duration SETTLE_PATIENCE = Duration.ofMinutes(1);
  private static final Duration LEAVE_PATIENCE = Duration.ofSeconds(110);
  private static final int POLL_MILLIS = 100;

  private final ChaosSettings settings;
  private final Network network;
  private final Path folder;
  private final int port;
  private final long startNanos = System.nanoTime();
  private final Map<Integer, NodeProcess> nodes = new ConcurrentSkipListMap<>();
  private final int[] incarnations;
  private long operationsOfThePast;
  private boolean closed;

  Fleet(ChaosSettings settings, Network network, Path folder, int port) {
    this.settings = settings;
    this.network = network;
    this.folder = folder;
    this.port = port;
    this.incarnations = new int[settings.places()];
  }

  /** Starts a process at a place, without waiting. */
  synchronized NodeProcess start(int place) throws ChaosException {
    NodeProcess before = nodes.get(place);
    if (before != null) {
      operationsOfThePast += before.operations();
    }
    if (closed) {
      throw new ChaosException(ChaosException.FAILED, "interrupted");
    }
    NodeSettings node =
        new NodeSettings(
            "cantle-chaos-" + ProcessHandle.current().pid(),
            place,
            incarnations[place]++,
            settings.places(),
            settings.nodes(),
            port,
            settings.owners(),
            place < settings.nodes() ? settings.clientsPerNode() : 0,
            Math.max(1, settings.callsPerSecond() / settings.nodes()),
            place < settings.nodes() ? settings.scans() : 0,
            settings.seed(),
            startNanos,
            folder);
    try {
      NodeProcess started = NodeProcess.start(node, network.inside(NodeJvm.command(node)));
      nodes.put(place, started);
      return started;
    } catch (IOException e) {
      throw new ChaosException(
          ChaosException.FAILED, "a node could not be started: " + e.getMessage());
    }
  }

  /** Starts processes, waits until they have joined and has their clients work. */
  void join(List<Integer> places) throws ChaosException, InterruptedException {
    List<NodeProcess> started = new ArrayList<>();
    for (int place : places) {
      started.add(start(place));
    }
    for (NodeProcess node : started) {
      awaitWorking(node);
    }
  }

  /** Waits until a node has joined, and has its clients work. */
  void awaitWorking(NodeProcess node) throws ChaosException, InterruptedException {
    awaitJoined(node);
    if (node.ask(Order.WORK, JsonLine.empty(), ANSWER_PATIENCE).isEmpty()) {
      throw new ChaosException(
          ChaosException.FAILED, node.settings().file() + " does not start its clients");
    }
  }

  /** Waits until a node has joined. */
  void awaitJoined(NodeProcess node) throws ChaosException, InterruptedException {
    if (node.awaitJoined(JOIN_PATIENCE).isEmpty()) {
      throw new ChaosException(
          ChaosException.FAILED,
          node.settings().file() + " has not joined within " + JOIN_PATIENCE.toSeconds() + " s");
    }
  }

  /** Waits for the end of processes that leave. */
  void awaitLeft(List<NodeProcess> leaving) throws ChaosException, InterruptedException {
    for (NodeProcess node : leaving) {
      if (!node.awaitEnd(LEAVE_PATIENCE)) {
        throw new ChaosException(
            ChaosException.FAILED,
            node.settings().file()
                + " has not left within "
                + LEAVE_PATIENCE.toSeconds()
                + " s though nothing was wrong");
      }
      if (node.place() >= settings.nodes()) {
        nodes.remove(node.place());
      }
    }
  }

  NodeProcess at(int place) {
    NodeProcess node = nodes.get(place);
    if (node == null) {
      throw new IllegalStateException("nobody was ever at place " + place);
    }
    return node;
  }

  /** Those that run, have joined and do not stand still. */
  List<NodeProcess> present() {
    return nodes.values().stream()
        .filter(node -> node.isAlive() && node.hasJoined() && !node.isPaused())
        .toList();
  }

  /** Those that ended by themselves. */
  List<NodeProcess> failed() {
    return nodes.values().stream().filter(NodeProcess::hasFailed).toList();
  }

  /** How many calls have ended. */
  synchronized long operations() {
    return operationsOfThePast + nodes.values().stream().mapToLong(NodeProcess::operations).sum();
  }

  /** The primary of a key, as one of the present nodes knows it. */
  Optional<NodeProcess> primary(String key, NodeProcess knows) throws InterruptedException {
    Optional<JsonLine> answer =
        knows.ask(Order.OWNERS, JsonLine.empty().with("key", key), ANSWER_PATIENCE);
    return answer
        .map(line -> line.text("owners").split(" ", -1)[0])
        .flatMap(
            name ->
                nodes.values().stream()
                    .filter(node -> node.settings().name().equals(name))
                    .findFirst());
  }

  /** Waits until all nodes know each other and every segment has all its copies. */
  void awaitSettled() throws ChaosException, InterruptedException {
    long end = System.nanoTime() + SETTLE_PATIENCE.toNanos();
    int expected = settings.nodes();
    while (true) {
      List<String> unsettled = new ArrayList<>();
      for (NodeProcess node : nodes.values()) {
        if (node.hasFailed()) {
          throw new ChaosException(
              ChaosException.FAILED, node.settings().file() + " ended by itself; see its log");
        }
        Optional<JsonLine> state = node.ask(Order.STATE, JsonLine.empty(), ANSWER_PATIENCE);
        boolean settled =
            state.isPresent()
                && state.get().number("members") == expected
                && state.get().number("settled") == 1;
        if (!settled) {
          unsettled.add(
              node.settings().file() + ": " + state.map(JsonLine::toString).orElse("no answer"));
        }
      }
      if (unsettled.isEmpty()) {
        return;
      }
      if (System.nanoTime() > end) {
        throw new ChaosException(
            ChaosException.FAILED,
            "not settled "
                + SETTLE_PATIENCE.toSeconds()
                + " s after the faults: "
                + String.join("; ", unsettled));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** All processes that run. */
  List<NodeProcess> running() {
    return nodes.values().stream().filter(NodeProcess::isAlive).toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    nodes.values().forEach(NodeProcess::destroy);
    for (NodeProcess node : nodes.values()) {
      try {
        boolean _ = node.awaitEnd(ANSWER_PATIENCE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
