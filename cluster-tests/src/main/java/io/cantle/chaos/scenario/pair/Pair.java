package io.cantle.chaos.scenario.pair;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LoopbackPorts;
import io.cantle.chaos.scenario.ScenarioRun;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A grid of two, the older node and the younger one, and their reports.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Pair implements AutoCloseable {
  static final String OLDER = "older";
  static final String YOUNGER = "younger";

  /** A node with a copy of the store of another. */
  static final String COPY = "copy";

  private static final List<String> PLACES = List.of(OLDER, YOUNGER, COPY);
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final Duration SETTLED = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 100;

  private final ScenarioRun run;
  private final String grid;
  private final boolean hasStores;
  private final int port;
  private final Map<String, ChildProcess> nodes = new HashMap<>();
  private final Map<String, String> refusals = new HashMap<>();
  private long slowestRefusalMillis;
  private int started;

  Pair(ScenarioRun run, String grid, boolean hasStores) throws IOException {
    this.run = run;
    this.grid = grid;
    this.hasStores = hasStores;
    this.port = LoopbackPorts.findFree(PairNode.address(0));
  }

  /** Returns the role of the other node. */
  static String other(String role) {
    return role.equals(OLDER) ? YOUNGER : OLDER;
  }

  Path folder(String role) {
    return run.folder().resolve(grid + "-" + role);
  }

  /** Starts both nodes, and writes what must exist from then on. */
  void begin() throws ChaosException, InterruptedException {
    start(OLDER);
    start(YOUNGER);
    awaitSettled(2);
    ask(OLDER, "load", JsonLine.empty());
  }

  void change() throws ChaosException, InterruptedException {
    ask(OLDER, "change", JsonLine.empty());
    // The other node must have learned what a store holds.
    Thread.sleep(1_500);
  }

  /** Starts a node, which is admitted or says why not. */
  void start(String role) throws ChaosException, InterruptedException {
    String name = grid + "-" + role + "-" + ++started;
    List<String> arguments =
        List.of(
            grid,
            role,
            Integer.toString(PLACES.indexOf(role)),
            Integer.toString(port),
            hasStores ? folder(role).toString() : "");
    ChildProcess node =
        run.start(name, run.javaCommand(List.of("-Xmx128m"), PairNode.class, arguments), _ -> {});
    JsonLine ready = node.requireReady(READY);
    refusals.remove(role);
    if (ready.has("refused")) {
      refusals.put(role, ready.text("refused"));
      if (!hasStores) {
        // Reading a folder takes as long as it takes.
        slowestRefusalMillis = Math.max(slowestRefusalMillis, ready.number("millis"));
      }
      node.expectEnd();
      node.destroy();
    } else {
      nodes.put(role, node);
    }
  }

  /** Returns why a node was not admitted; empty if it was. */
  String refusal(String role) {
    return refusals.getOrDefault(role, "");
  }

  long slowestRefusalMillis() {
    return slowestRefusalMillis;
  }

  void kill(String role) throws InterruptedException {
    ChildProcess node = nodes.remove(role);
    if (node != null) {
      node.expectEnd();
      node.kill();
    }
  }

  void leave(String role) throws ChaosException, InterruptedException {
    ChildProcess node = requireRunning(role);
    nodes.remove(role);
    node.expectEnd();
    var _ = node.order("leave", JsonLine.empty());
    if (!node.awaitEnd(ANSWER)) {
      throw new ChaosException(ChaosException.FAILED_STATUS, role + " does not leave");
    }
  }

  JsonLine ask(String role, String order, JsonLine more)
      throws ChaosException, InterruptedException {
    return requireRunning(role).requireAnswer(order, more, ANSWER);
  }

  private ChildProcess requireRunning(String role) throws ChaosException {
    ChildProcess node = nodes.get(role);
    if (node == null) {
      throw new ChaosException(ChaosException.FAILED_STATUS, role + " does not run");
    }
    return node;
  }

  void awaitSettled(int members) throws ChaosException, InterruptedException {
    long deadline = System.nanoTime() + SETTLED.toNanos();
    while (!isSettled(members)) {
      if (System.nanoTime() - deadline > 0) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS, members + " members of " + grid + " do not settle");
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private boolean isSettled(int members) throws ChaosException, InterruptedException {
    for (String role : nodes.keySet()) {
      JsonLine state = ask(role, "state", JsonLine.empty());
      if (state.number("members") != members || state.number("settled") != 1) {
        return false;
      }
    }
    return true;
  }

  /** Copies the folder of a node as it is. */
  void copy(String role, Path to) throws IOException {
    copy(folder(role), to);
  }

  /** Replaces a node's folder with a copy. */
  void copyBack(Path from, String role) throws IOException {
    copy(from, folder(role));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
      for (Path path : all.sorted().toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  void removeFolder(String role) throws IOException {
    ScenarioRun.removeFolder(folder(role));
  }

  /** Returns the log of the last process of a node. */
  String log(String role) throws IOException {
    ChildProcess node = nodes.get(role);
    return node == null ? "" : Files.readString(node.log());
  }

  @Override
  public void close() {
    nodes.values().forEach(ChildProcess::destroy);
    nodes.clear();
  }
}
