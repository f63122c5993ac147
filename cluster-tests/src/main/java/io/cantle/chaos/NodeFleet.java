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
 * The processes of the nodes, by place. None of them outlives this object or this process.
 *
 * <p><b>Threading:</b> the conductor's thread, but {@link #close} any thread.
 */
final class NodeFleet implements AutoCloseable {
  private static final Duration JOIN_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration SETTLE_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(110);
  private static final int POLL_MILLIS = 100;

  private final ChaosSettings settings;
  private final TestNetwork network;
  private final Path folder;
  private final int port;
  private final long startNanos = System.nanoTime();
  private final Map<Integer, ChaosNodeProcess> nodes = new ConcurrentSkipListMap<>();
  private final int[] incarnations;
  private long finishedOperations;
  private boolean closed;

  NodeFleet(ChaosSettings settings, TestNetwork network, Path folder, int port) {
    this.settings = settings;
    this.network = network;
    this.folder = folder;
    this.port = port;
    this.incarnations = new int[settings.placeCount()];
  }

  /** Starts a process at a place, without waiting. */
  synchronized ChaosNodeProcess start(int place) throws ChaosException {
    ChaosNodeProcess before = nodes.get(place);
    if (before != null) {
      finishedOperations += before.operationCount();
    }
    if (closed) {
      throw new ChaosException(ChaosException.FAILED_STATUS, "interrupted");
    }
    ChaosNodeSettings node =
        new ChaosNodeSettings(
            "cantle-chaos-" + ProcessHandle.current().pid(),
            place,
            incarnations[place]++,
            settings.placeCount(),
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
      ChaosNodeProcess started =
          ChaosNodeProcess.start(node, network.commandInside(ChaosNodeCommand.commandLine(node)));
      nodes.put(place, started);
      return started;
    } catch (IOException e) {
      throw new ChaosException(
          ChaosException.FAILED_STATUS, "a node could not be started: " + e.getMessage());
    }
  }

  /** Starts processes, waits until they have joined, and starts their clients. */
  void join(List<Integer> places) throws ChaosException, InterruptedException {
    List<ChaosNodeProcess> started = new ArrayList<>();
    for (int place : places) {
      started.add(start(place));
    }
    for (ChaosNodeProcess node : started) {
      awaitWorking(node);
    }
  }

  /** Waits until a node has joined, and starts its clients. */
  void awaitWorking(ChaosNodeProcess node) throws ChaosException, InterruptedException {
    awaitJoined(node);
    if (node.ask(NodeOrder.WORK, JsonLine.empty(), ANSWER_TIMEOUT).isEmpty()) {
      throw new ChaosException(
          ChaosException.FAILED_STATUS,
          node.settings().historyFile() + " does not start its clients");
    }
  }

  /** Waits until a node has joined. */
  void awaitJoined(ChaosNodeProcess node) throws ChaosException, InterruptedException {
    if (node.awaitJoined(JOIN_TIMEOUT).isEmpty()) {
      throw new ChaosException(
          ChaosException.FAILED_STATUS,
          node.settings().historyFile()
              + " has not joined within "
              + JOIN_TIMEOUT.toSeconds()
              + " s");
    }
  }

  /** Waits for the end of leaving processes. */
  void awaitLeft(List<ChaosNodeProcess> leaving) throws ChaosException, InterruptedException {
    for (ChaosNodeProcess node : leaving) {
      if (!node.awaitEnd(LEAVE_TIMEOUT)) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS,
            node.settings().historyFile()
                + " has not left within "
                + LEAVE_TIMEOUT.toSeconds()
                + " s though nothing was wrong");
      }
      if (node.placeNumber() >= settings.nodes()) {
        nodes.remove(node.placeNumber());
      }
    }
  }

  ChaosNodeProcess nodeAt(int place) {
    ChaosNodeProcess node = nodes.get(place);
    if (node == null) {
      throw new IllegalStateException("nobody was ever at place " + place);
    }
    return node;
  }

  /** Returns the running nodes that have joined and are not paused. */
  List<ChaosNodeProcess> presentNodes() {
    return nodes.values().stream()
        .filter(node -> node.isAlive() && node.hasJoined() && !node.isPaused())
        .toList();
  }

  /** Returns the nodes that ended by themselves. */
  List<ChaosNodeProcess> failedNodes() {
    return nodes.values().stream().filter(ChaosNodeProcess::hasFailed).toList();
  }

  /** Returns how many calls have ended. */
  synchronized long operationCount() {
    return finishedOperations
        + nodes.values().stream().mapToLong(ChaosNodeProcess::operationCount).sum();
  }

  /** Returns the primary of a key, as one of the present nodes knows it. */
  Optional<ChaosNodeProcess> primaryOf(String key, ChaosNodeProcess knows)
      throws InterruptedException {
    Optional<JsonLine> answer =
        knows.ask(NodeOrder.OWNERS, JsonLine.empty().with("key", key), ANSWER_TIMEOUT);
    return answer
        .map(line -> line.text("owners").split(" ", -1)[0])
        .flatMap(
            name ->
                nodes.values().stream()
                    .filter(node -> node.settings().name().equals(name))
                    .findFirst());
  }

  /** Waits until all nodes know each other and every segment has all its replicas. */
  void awaitSettled() throws ChaosException, InterruptedException {
    long end = System.nanoTime() + SETTLE_TIMEOUT.toNanos();
    int expected = settings.nodes();
    while (true) {
      List<String> unsettled = new ArrayList<>();
      for (ChaosNodeProcess node : nodes.values()) {
        if (node.hasFailed()) {
          throw new ChaosException(
              ChaosException.FAILED_STATUS,
              node.settings().historyFile() + " ended by itself; see its log");
        }
        Optional<JsonLine> state = node.ask(NodeOrder.STATE, JsonLine.empty(), ANSWER_TIMEOUT);
        boolean settled =
            state.isPresent()
                && state.get().number("members") == expected
                && state.get().number("settled") == 1;
        if (!settled) {
          unsettled.add(
              node.settings().historyFile()
                  + ": "
                  + state.map(JsonLine::toString).orElse("no answer"));
        }
      }
      if (unsettled.isEmpty()) {
        return;
      }
      if (System.nanoTime() > end) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS,
            "not settled "
                + SETTLE_TIMEOUT.toSeconds()
                + " s after the faults: "
                + String.join("; ", unsettled));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Returns all running processes. */
  List<ChaosNodeProcess> runningNodes() {
    return nodes.values().stream().filter(ChaosNodeProcess::isAlive).toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    nodes.values().forEach(ChaosNodeProcess::destroy);
    for (ChaosNodeProcess node : nodes.values()) {
      try {
        boolean _ = node.awaitEnd(ANSWER_TIMEOUT);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
