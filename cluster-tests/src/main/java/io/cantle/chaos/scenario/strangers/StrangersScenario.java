package io.cantle.chaos.scenario.strangers;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LatencyHistogram;
import io.cantle.chaos.scenario.ChaosScenario;
import io.cantle.chaos.scenario.ScenarioResult;
import io.cantle.chaos.scenario.ScenarioRun;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Three nodes that serve gets, and strangers at their ports. What strangers send must come to
 * nothing: no object is made of it, no node is lost, and it costs little memory, few threads and
 * little of the time of gets.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class StrangersScenario implements ChaosScenario {
  private static final String TRANSPORT = "/jgroups/src/main/java/io/cantle/jgroups/";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final Duration RECOVERY = Duration.ofSeconds(5);
  private static final Duration CALM = Duration.ofSeconds(15);
  private static final int LOWEST_PORT = 12_000;
  private static final int HIGHEST_PORT = 32_000;
  private static final long MEBIBYTE = 1 << 20;
  private static final long MAX_HEAP_GROWTH_MIB = 64;
  private static final long MAX_THREAD_GROWTH = 20;
  private static final double MAX_P99_RATIO = 3;
  private static final long MAX_LOG_KIB = 64;
  private static final long MIN_CONNECTIONS_PER_SECOND = 200;

  private static final List<PlantedBug> BUGS =
      List.of(
          PlantedBug.of(
              "jgroups-reads-frames",
              "JGroups reads frames itself, with readers that trust the wire",
              TRANSPORT + "BackpressureTcp.java",
              "message = decoders.get().decode(frame, place);",
              """
              if (frame.length > 0) {
                super.receive(
                    place, new org.jgroups.util.ByteArrayDataInputStream(frame), length);
                return;
              }
              message = decoders.get().decode(frame, place);
              """),
          PlantedBug.of(
              "silent-newcomers-stay",
              "a connection that has named the grid may be silent for ever, with its thread",
              TRANSPORT + "ChannelSocketProvider.java",
              "int tooMany = Math.max(0, silent.size() - most);",
              "int tooMany = Math.max(0, silent.size() - 100 * most);"),
          PlantedBug.of(
              "newcomers-are-members",
              "what peers that were never members send is kept like what members send",
              TRANSPORT + "EagerAckUnicast.java",
              "if (membersSeen.contains(sender)) {",
              "if (membersSeen.contains(sender) || number >= 0) {"),
          PlantedBug.of(
              "lengths-are-believed",
              "memory is taken for a frame of any length that is claimed",
              TRANSPORT + "BackpressureTcp.java",
              "length < FrameDecoder.MIN_FRAME_BYTES || length > FrameDecoder.MAX_FRAME_BYTES",
              "length < FrameDecoder.MIN_FRAME_BYTES"));

  @Override
  public String name() {
    return "strangers";
  }

  @Override
  public String description() {
    return "strangers send hostile frames, noise and silence to three nodes for --minutes";
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return BUGS;
  }

  @Override
  public ScenarioResult run(ScenarioRun run)
      throws ChaosException, IOException, InterruptedException {
    int port = freePorts(new Random(run.settings().seed()));
    List<ChildProcess> nodes = start(run, port);
    for (ChildProcess node : nodes) {
      tell(node, "work", JsonLine.empty().with("seed", run.settings().seed()));
    }
    pause(run, "gets are served", WARM_UP);
    takeLatencies(nodes);
    pause(run, "gets are served, and measured", CALM);
    Latencies calm = takeLatencies(nodes);
    Observation observation = new Observation(nodes);
    ChildProcess crowd = startCrowd(run, port);
    tell(crowd, "begin", JsonLine.empty());
    long end = System.nanoTime() + run.settings().duration().toNanos();
    JsonLine attack = tell(crowd, "count", JsonLine.empty());
    while (System.nanoTime() - end < 0) {
      run.progress(
          "strangers have opened %,d connections and sent %,d frames"
              .formatted(attack.number("connections"), attack.number("frames")));
      Thread.sleep(1_000);
      observation.look();
      attack = tell(crowd, "count", JsonLine.empty());
    }
    Latencies attacked = takeLatencies(nodes);
    observation.weigh();
    crowd.kill();
    pause(run, "strangers have gone", RECOVERY);
    takeLatencies(nodes);
    pause(run, "gets are served, and measured again", CALM);
    calm = calm.with(takeLatencies(nodes));
    Map<String, Object> figures = figures(attack, observation, calm, attacked);
    observation.told.addAll(attacked.reasons());
    return new ScenarioResult(figures, violations(run, figures, observation));
  }

  /** Strangers would be on another machine: where they meet the nodes on one, nodes go first. */
  private static ChildProcess startCrowd(ScenarioRun run, int port)
      throws ChaosException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("nice", "-n", "19"));
    command.addAll(
        run.javaCommand(
            List.of("-Xmx192m"),
            StrangerCrowd.class,
            List.of(Integer.toString(port), Long.toString(run.settings().seed()))));
    ChildProcess crowd = run.start("strangers", command, news -> {});
    if (crowd.awaitReady(PATIENCE).isEmpty()) {
      throw new ChaosException(
          ChaosException.FAILED_STATUS, "strangers did not start, see " + crowd.log());
    }
    return crowd;
  }

  private static int freePorts(Random random) throws ChaosException {
    for (int tries = 0; tries < 100; tries++) {
      int first = random.nextInt(LOWEST_PORT, HIGHEST_PORT);
      if (IntStream.range(first, first + StrangersNode.NODES).allMatch(StrangersScenario::isFree)) {
        return first;
      }
    }
    throw new ChaosException(ChaosException.LACKING_STATUS, "found no free ports side by side");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, StrangersNode.ADDRESS)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static List<ChildProcess> start(ScenarioRun run, int port)
      throws ChaosException, InterruptedException {
    List<ChildProcess> nodes = new ArrayList<>();
    for (int i = 0; i < StrangersNode.NODES; i++) {
      List<String> words = List.of(Integer.toString(i), Integer.toString(port));
      nodes.add(
          run.start(
              "node-" + i,
              run.javaCommand(
                  List.of("-Xmx192m", "-XX:+ExitOnOutOfMemoryError"), StrangersNode.class, words),
              news -> {}));
    }
    for (ChildProcess node : nodes) {
      if (node.awaitReady(PATIENCE).isEmpty()) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS, node.name() + " did not start, see " + node.log());
      }
    }
    tell(nodes.getFirst(), "fill", JsonLine.empty());
    return nodes;
  }

  private static JsonLine tell(ChildProcess node, String order, JsonLine more)
      throws ChaosException, InterruptedException {
    return node.orderAndAwait(order, more, PATIENCE)
        .orElseThrow(
            () ->
                new ChaosException(
                    ChaosException.FAILED_STATUS,
                    node.name() + " did not answer to " + order + ", see " + node.log()));
  }

  private static void pause(ScenarioRun run, String doing, Duration length)
      throws InterruptedException {
    for (long left = length.toSeconds(); left > 0; left--) {
      run.progress(doing + ", " + left + " s");
      Thread.sleep(1_000);
    }
  }

  /** What clients of all nodes have seen since they were asked before. */
  private record Latencies(LatencyHistogram times, long failures, List<String> reasons) {
    Latencies with(Latencies more) {
      times.addAll(more.times.takeText());
      List<String> allReasons = new ArrayList<>(reasons);
      allReasons.addAll(more.reasons);
      return new Latencies(times, failures + more.failures, allReasons);
    }
  }

  private static Latencies takeLatencies(List<ChildProcess> nodes) throws InterruptedException {
    LatencyHistogram times = new LatencyHistogram();
    long failures = 0;
    List<String> reasons = new ArrayList<>();
    for (ChildProcess node : nodes) {
      JsonLine answer =
          node.orderAndAwait("latencies", JsonLine.empty(), PATIENCE).orElse(JsonLine.empty());
      if (answer.has("latencies")) {
        times.addAll(answer.text("latencies"));
        failures += answer.number("failures");
        if (answer.number("failures") > 0) {
          reasons.add("gets of " + node.name() + " failed: " + answer.text("lastFailure"));
        }
      }
    }
    return new Latencies(times, failures, reasons);
  }

  /** How the nodes are, compared with how they were. */
  private static final class Observation {
    private final List<ChildProcess> nodes;
    private final List<Long> heapBefore = new ArrayList<>();
    private final List<Long> threadsBefore = new ArrayList<>();
    private long heapGrowth;
    private long threadGrowth;
    private long nodesLost;
    private long instantiated;
    private long logBytes;
    private final List<String> told = new ArrayList<>();

    Observation(List<ChildProcess> nodes) throws ChaosException, InterruptedException {
      this.nodes = nodes;
      for (ChildProcess node : nodes) {
        heapBefore.add(tell(node, "heap", JsonLine.empty()).number("bytes"));
        threadsBefore.add(tell(node, "look", JsonLine.empty()).number("threads"));
      }
    }

    /** Looks whether all are there, and how many threads they have. */
    void look() throws InterruptedException {
      long lost = 0;
      for (int i = 0; i < nodes.size(); i++) {
        JsonLine answer =
            nodes.get(i).orderAndAwait("look", JsonLine.empty(), PATIENCE).orElse(JsonLine.empty());
        if (answer.has("members")) {
          threadGrowth = Math.max(threadGrowth, answer.number("threads") - threadsBefore.get(i));
          lost = Math.max(lost, nodes.size() - answer.number("members"));
        } else {
          lost++;
        }
      }
      nodesLost = Math.max(nodesLost, lost);
    }

    /** Looks at all that takes longer, while strangers are still there. */
    void weigh() throws InterruptedException, IOException {
      look();
      for (int i = 0; i < nodes.size(); i++) {
        ChildProcess node = nodes.get(i);
        JsonLine heap =
            node.orderAndAwait("heap", JsonLine.empty(), PATIENCE).orElse(JsonLine.empty());
        if (heap.has("bytes")) {
          heapGrowth = Math.max(heapGrowth, heap.number("bytes") - heapBefore.get(i));
        }
        JsonLine made =
            node.orderAndAwait("creations", JsonLine.empty(), PATIENCE).orElse(JsonLine.empty());
        if (made.has("total") && made.number("total") > 0) {
          instantiated += made.number("total");
          told.add(node.name() + " made " + made.text("details"));
        }
        logBytes = Math.max(logBytes, Files.size(node.log()));
      }
    }
  }

  private static Map<String, Object> figures(
      JsonLine attack, Observation observation, Latencies calm, Latencies attacked) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("connections", attack.number("connections"));
    figures.put("hostileFrames", attack.number("frames"));
    figures.put("noiseMiB", attack.number("noiseBytes") / MEBIBYTE);
    figures.put("unrefused", attack.number("unrefused"));
    figures.put("instantiated", observation.instantiated);
    figures.put("nodesLost", observation.nodesLost);
    figures.put("heapGrowthMiB", Math.ceilDiv(observation.heapGrowth, MEBIBYTE));
    figures.put("threadGrowth", observation.threadGrowth);
    figures.put("logKiB", observation.logBytes >> 10);
    figures.put("gets", attacked.times().count());
    figures.put("calmGetsFailed", calm.failures());
    figures.put("getsFailed", attacked.failures());
    figures.put("calmGetP99Micros", calm.times().p99Micros());
    figures.put("getP99Micros", attacked.times().p99Micros());
    double ratio = (double) attacked.times().p99Micros() / Math.max(1, calm.times().p99Micros());
    figures.put("getP99Ratio", Math.round(ratio * 100) / 100.0);
    return figures;
  }

  private static List<String> violations(
      ScenarioRun run, Map<String, Object> figures, Observation observation) {
    List<String> violations = new ArrayList<>(observation.told);
    atMost(violations, figures, "unrefused", 0);
    atMost(violations, figures, "instantiated", 0);
    atMost(violations, figures, "nodesLost", 0);
    atMost(violations, figures, "getsFailed", 0);
    atMost(violations, figures, "heapGrowthMiB", MAX_HEAP_GROWTH_MIB - 1);
    atMost(violations, figures, "threadGrowth", MAX_THREAD_GROWTH - 1);
    atMost(violations, figures, "logKiB", MAX_LOG_KIB);
    atMost(violations, figures, "getP99Ratio", MAX_P99_RATIO);
    long wanted = MIN_CONNECTIONS_PER_SECOND * run.settings().duration().toSeconds();
    if (number(figures, "connections") < wanted) {
      violations.add("strangers opened fewer than " + wanted + " connections: nothing is shown");
    }
    return violations;
  }

  private static void atMost(
      List<String> violations, Map<String, Object> figures, String name, double most) {
    if (number(figures, name) > most) {
      violations.add(name + " is " + figures.get(name) + ", more than " + most);
    }
  }

  private static double number(Map<String, Object> figures, String name) {
    if (figures.get(name) instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalStateException("there is no figure " + name);
  }
}
