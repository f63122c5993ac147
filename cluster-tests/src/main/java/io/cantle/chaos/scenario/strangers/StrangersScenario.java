package io.cantle.chaos.scenario.strangers;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ChaosScenario;
import io.cantle.chaos.scenario.GetFigures;
import io.cantle.chaos.scenario.ScenarioResult;
import io.cantle.chaos.scenario.ScenarioRun;
import io.cantle.chaos.scenario.ThreeNodeGrid;
import io.cantle.simulation.planted.PlantedBug;
import io.cantle.simulation.planted.SourceEdit;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Three nodes that serve gets, and strangers at their ports. What strangers send must come to
 * nothing: no object is made of it, no node is lost, and it costs little memory, few threads and
 * little of the time of gets.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class StrangersScenario implements ChaosScenario {
  private static final String TRANSPORT = "/network/src/main/java/io/cantle/network/";
  private static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final Duration RECOVERY = Duration.ofSeconds(5);
  private static final Duration CALM = Duration.ofSeconds(15);
  private static final long MAX_HEAP_GROWTH_MIB = 64;
  private static final long MAX_DIRECT_GROWTH_MIB = 96;
  private static final long MAX_THREAD_GROWTH = 20;
  private static final double MAX_P99_RATIO = 3;
  private static final long MAX_LOG_KIB = 64;

  /** What three nodes keep of quiet peers, and what was opened before it was counted. */
  private static final long MAX_KEPT = 256;

  private static final long MIN_CONNECTIONS_PER_SECOND = 200;

  private static final List<PlantedBug> BUGS =
      List.of(
          PlantedBug.of(
              "lengths-are-believed",
              "memory is taken for a frame of any length that is claimed",
              TRANSPORT + "Frame.java",
              "return new LengthFieldBasedFrameDecoder("
                  + "maxFrameBytes, 0, LENGTH_BYTES, 0, LENGTH_BYTES);",
              """
              return new LengthFieldBasedFrameDecoder(
                  Integer.MAX_VALUE, 0, LENGTH_BYTES, 0, LENGTH_BYTES) {
                @Override
                protected Object decode(ChannelHandlerContext context, ByteBuf in)
                    throws Exception {
                  if (in.readableBytes() >= LENGTH_BYTES && in.getInt(in.readerIndex()) > 0) {
                    in.ensureWritable(in.getInt(in.readerIndex()));
                  }
                  return super.decode(context, in);
                }
              };
              """),
          PlantedBug.of(
              "newcomers-stay",
              "any number of peers that are no members may stay connected",
              TRANSPORT + "PeerTable.java",
              "while (newcomers.size() > MAX_NEWCOMERS) {",
              "while (newcomers.size() > MAX_PEERS) {"),
          PlantedBug.of(
              "unfinished-frames-are-not-counted",
              "peers that are no members may begin any number of frames and end none",
              TRANSPORT + "NewcomerBudget.java",
              "if (usedBytes.addAndGet(more) > MAX_BYTES) {",
              "if (usedBytes.addAndGet(more) < 0) {"),
          PlantedBug.of(
              "openings-may-take-for-ever",
              "a connection may be half open for as long as its peer likes",
              new SourceEdit(
                  TRANSPORT + "OpeningHandler.java",
                  "() -> refuse(context, dialed"
                      + " ? \"has not answered\" : \"brought no opening in time\"),",
                  "() -> { if (dialed) { refuse(context, \"has not answered\"); } },"),
              new SourceEdit(
                  TRANSPORT + "ConnectionGate.java",
                  "if (surplus != null) { leave(surplus); }",
                  "surplus = null;")));

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
    ThreeNodeGrid grid =
        ThreeNodeGrid.start(
            run,
            List.of(
                "-Xmx192m", "-XX:+ExitOnOutOfMemoryError", "--enable-native-access=ALL-UNNAMED"),
            StrangersNode.class);
    pause(run, "gets are served", WARM_UP);
    grid.takeGets(new GetFigures());
    pause(run, "gets are served, and measured", CALM);
    GetFigures calm = new GetFigures();
    grid.takeGets(calm);
    Observation observation = new Observation(grid.nodes());
    ChildProcess crowd = startCrowd(run, grid.firstPort());
    require(crowd, "begin");
    long end = System.nanoTime() + run.settings().duration().toNanos();
    JsonLine attack = require(crowd, "count");
    while (System.nanoTime() - end < 0) {
      run.progress(
          "strangers have opened %,d connections and sent %,d frames"
              .formatted(attack.number("connections"), attack.number("frames")));
      Thread.sleep(1_000);
      observation.look();
      attack = require(crowd, "count");
      observation.kept = Math.max(observation.kept, attack.number("kept"));
    }
    GetFigures attacked = new GetFigures();
    grid.takeGets(attacked);
    observation.weigh();
    crowd.kill();
    pause(run, "strangers have gone", RECOVERY);
    grid.takeGets(new GetFigures());
    pause(run, "gets are served, and measured again", CALM);
    grid.takeGets(calm);
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
    crowd.requireReady(ThreeNodeGrid.ANSWER_TIMEOUT);
    return crowd;
  }

  private static JsonLine require(ChildProcess process, String order)
      throws ChaosException, InterruptedException {
    return process.requireAnswer(order, JsonLine.empty(), ThreeNodeGrid.ANSWER_TIMEOUT);
  }

  /** Returns the answer of a process, or an empty one if it does not answer. */
  private static JsonLine ask(ChildProcess process, String order) throws InterruptedException {
    return process
        .orderAndAwait(order, JsonLine.empty(), ThreeNodeGrid.ANSWER_TIMEOUT)
        .orElse(JsonLine.empty());
  }

  private static void pause(ScenarioRun run, String doing, Duration length)
      throws InterruptedException {
    for (long left = length.toSeconds(); left > 0; left--) {
      run.progress(doing + ", " + left + " s");
      Thread.sleep(1_000);
    }
  }

  /** How the nodes are, compared with how they were. */
  private static final class Observation {
    private final List<ChildProcess> nodes;
    private final List<Long> heapBefore = new ArrayList<>();
    private final List<Long> threadsBefore = new ArrayList<>();
    private final List<Long> directBefore = new ArrayList<>();
    private long heapGrowth;
    private long directGrowth;
    private long threadGrowth;
    private long kept;
    private long nodesLost;
    private long instantiated;
    private long logBytes;
    private final List<String> told = new ArrayList<>();

    Observation(List<ChildProcess> nodes) throws ChaosException, InterruptedException {
      this.nodes = nodes;
      for (ChildProcess node : nodes) {
        heapBefore.add(require(node, "heap").number("bytes"));
        JsonLine looks = require(node, "look");
        threadsBefore.add(looks.number("threads"));
        directBefore.add(looks.number("directBytes"));
      }
    }

    /** Looks whether all are there, and what they have of threads and of memory off the heap. */
    void look() throws InterruptedException {
      long lost = 0;
      for (int i = 0; i < nodes.size(); i++) {
        JsonLine answer = ask(nodes.get(i), "look");
        if (answer.has("members")) {
          threadGrowth = Math.max(threadGrowth, answer.number("threads") - threadsBefore.get(i));
          directGrowth = Math.max(directGrowth, answer.number("directBytes") - directBefore.get(i));
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
        JsonLine heap = ask(node, "heap");
        if (heap.has("bytes")) {
          heapGrowth = Math.max(heapGrowth, heap.number("bytes") - heapBefore.get(i));
        }
        JsonLine made = ask(node, "creations");
        if (made.has("total") && made.number("total") > 0) {
          instantiated += made.number("total");
          told.add(node.name() + " made " + made.text("details"));
        }
        logBytes = Math.max(logBytes, Files.size(node.log()));
      }
    }
  }

  private static Map<String, Object> figures(
      JsonLine attack, Observation observation, GetFigures calm, GetFigures attacked) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("connections", attack.number("connections"));
    figures.put("hostileFrames", attack.number("frames"));
    figures.put("noiseMiB", attack.number("noiseBytes") >> 20);
    figures.put("unrefused", attack.number("unrefused"));
    figures.put("kept", observation.kept);
    figures.put("instantiated", observation.instantiated);
    figures.put("nodesLost", observation.nodesLost);
    figures.put("heapGrowthMiB", Math.ceilDiv(observation.heapGrowth, 1 << 20));
    figures.put("directGrowthMiB", Math.ceilDiv(observation.directGrowth, 1 << 20));
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
    atMost(violations, figures, "kept", MAX_KEPT);
    atMost(violations, figures, "instantiated", 0);
    atMost(violations, figures, "nodesLost", 0);
    atMost(violations, figures, "getsFailed", 0);
    atMost(violations, figures, "heapGrowthMiB", MAX_HEAP_GROWTH_MIB - 1);
    atMost(violations, figures, "directGrowthMiB", MAX_DIRECT_GROWTH_MIB - 1);
    atMost(violations, figures, "threadGrowth", MAX_THREAD_GROWTH - 1);
    atMost(violations, figures, "logKiB", MAX_LOG_KIB);
    atMost(violations, figures, "getP99Ratio", MAX_P99_RATIO);
    long wanted = MIN_CONNECTIONS_PER_SECOND * run.settings().duration().toSeconds();
    if (number(figures, "connections") < wanted) {
      violations.add("strangers opened fewer than " + wanted + " connections: nothing is shown");
    }
    if (number(figures, "hostileFrames") == 0) {
      violations.add("strangers sent no hostile frame: nothing is shown");
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
