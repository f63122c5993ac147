package io.cantle.chaos.scenario.scans;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ChaosScenario;
import io.cantle.chaos.scenario.GetFigures;
import io.cantle.chaos.scenario.ScenarioResult;
import io.cantle.chaos.scenario.ScenarioRun;
import io.cantle.chaos.scenario.ThreeNodeGrid;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The scenario of three nodes with heaps of 256 MB and 8 MB of data. One of them abandons 3,000
 * iterations and runs 400 full ones at once, again and again, while all get entries. All iterations
 * that are read must finish, no node may be lost, gets must stay fast, and the memory must be free
 * again afterwards.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class ScansScenario implements ChaosScenario {
  private static final String HEAP = "-Xmx256m";
  private static final int ABANDONED = 3_000;
  private static final int ITERATIONS = 400;
  private static final int RESUMED = 50;
  private static final Duration SCAN_TIMEOUT = Duration.ofMinutes(5);
  private static final long MAX_P99_MILLIS = 250;
  private static final int FREE_SECONDS = 10;

  /** A garbage collection does not find all garbage at once. */
  private static final long MAX_HEAP_GROWTH_MIB = 16;

  private static final List<PlantedBug> BUGS =
      List.of(
          PlantedBug.of(
              "memory-without-limit",
              "scans take as much memory as they like",
              "memory/MemoryUse.java",
              "return Math.max(1, heapBytes / PARTS_OF_HEAP * parts);",
              "return Math.max(1L << 40, heapBytes / PARTS_OF_HEAP * parts);"),
          PlantedBug.of(
              "abandoned-buffers-kept",
              "what an iteration that is not read has pulled is never dropped",
              "scan/PullClient.java",
              "if (!lock.tryLock()) {",
              "if (!lock.isHeldByCurrentThread()) {"),
          PlantedBug.of(
              "read-blocks-kept",
              "an iteration keeps the answer of which it has read a block",
              "scan/PullClient.java",
              "block.bytes = ElementBlock.ElementBytes.NONE;",
              ""));

  @Override
  public String name() {
    return "scans";
  }

  @Override
  public String description() {
    return "3,000 abandoned iterations and 400 at once, with 256 MB heaps, for --minutes";
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return BUGS;
  }

  /** What was seen so far. */
  private static final class Tally {
    final GetFigures gets = new GetFigures();
    final List<String> lost = new ArrayList<>();
    long rounds;
    long unfinished;
    long heapBeforeMib;
    long heapAfterMib;
  }

  @Override
  public ScenarioResult run(ScenarioRun run)
      throws ChaosException, IOException, InterruptedException {
    // When out of memory, a node must close by itself: nothing ends the process for it.
    ThreeNodeGrid grid = ThreeNodeGrid.start(run, List.of(HEAP), ScansNode.class);
    List<ChildProcess> nodes = grid.nodes();
    Tally tally = new Tally();
    // The first round loads classes and code, which stay in memory.
    round(run, nodes, tally, ITERATIONS / 4);
    tally.heapBeforeMib = heapMib(nodes);
    grid.takeGets(new GetFigures());
    long end = System.nanoTime() + run.settings().duration().toNanos();
    do {
      round(run, nodes, tally, ITERATIONS);
      grid.takeGets(tally.gets);
      tally.heapAfterMib = Math.max(tally.heapAfterMib, heapAfterMib(run, nodes, tally));
    } while (System.nanoTime() - end < 0 && tally.lost.isEmpty());
    Map<String, Object> figures = figures(tally);
    return new ScenarioResult(figures, violations(tally));
  }

  /** Abandons many iterations, reads many at once, and then continues some that were abandoned. */
  private static void round(ScenarioRun run, List<ChildProcess> nodes, Tally tally, int iterations)
      throws InterruptedException {
    ChildProcess asker = nodes.get((int) (tally.rounds % nodes.size()));
    tally.rounds++;
    scan(run, asker, tally, "abandon", ABANDONED, ABANDONED);
    scan(run, asker, tally, "iterate", iterations, iterations);
    scan(run, asker, tally, "resume", RESUMED, RESUMED);
    asker.orderAndAwait("forget", JsonLine.empty(), ThreeNodeGrid.ANSWER_TIMEOUT);
    tally.lost.addAll(lost(nodes));
  }

  private static void scan(
      ScenarioRun run, ChildProcess asker, Tally tally, String order, int count, int all)
      throws InterruptedException {
    CompletableFuture<JsonLine> answer = asker.order(order, JsonLine.empty().with("count", count));
    long begin = System.nanoTime();
    while (!answer.isDone() && System.nanoTime() - begin < SCAN_TIMEOUT.toNanos()) {
      run.progress(
          "round %d: %s %,d, %d s"
              .formatted(tally.rounds, order, count, (System.nanoTime() - begin) / 1_000_000_000L));
      for (int wait = 0; wait < 20 && !answer.isDone(); wait++) {
        Thread.sleep(100);
      }
    }
    Optional<JsonLine> told = ChildProcess.await(answer, Duration.ZERO);
    tally.unfinished += told.isPresent() ? told.get().number("unfinished") : all;
  }

  /** Returns which nodes have ended, or are missing in the members of another. */
  private static List<String> lost(List<ChildProcess> nodes) throws InterruptedException {
    List<String> lost = new ArrayList<>();
    for (ChildProcess node : nodes) {
      Optional<JsonLine> seen =
          node.orderAndAwait("look", JsonLine.empty(), ThreeNodeGrid.ANSWER_TIMEOUT);
      if (!node.isAlive()) {
        lost.add(node.name() + " has ended");
      } else if (seen.isEmpty() || seen.get().number("members") != nodes.size()) {
        lost.add(
            node.name()
                + " sees "
                + (seen.isEmpty() ? "nothing" : seen.get().number("members") + " members"));
      }
    }
    return lost;
  }

  /** Returns the use of the fullest heap once it had time to become free; the maximum is kept. */
  private static long heapAfterMib(ScenarioRun run, List<ChildProcess> nodes, Tally tally)
      throws InterruptedException {
    long used = Long.MAX_VALUE;
    for (int second = 0; second < FREE_SECONDS; second++) {
      used = heapMib(nodes);
      if (used <= tally.heapBeforeMib + MAX_HEAP_GROWTH_MIB) {
        return used;
      }
      run.progress("waiting for memory to be free, " + used + " MiB are in use");
      Thread.sleep(1_000);
    }
    return used;
  }

  private static long heapMib(List<ChildProcess> nodes) throws InterruptedException {
    long most = 0;
    for (ChildProcess node : nodes) {
      Optional<JsonLine> heap =
          node.orderAndAwait("heap", JsonLine.empty(), ThreeNodeGrid.ANSWER_TIMEOUT);
      most = Math.max(most, heap.map(line -> line.number("bytes")).orElse(0L));
    }
    return most >> 20;
  }

  private static Map<String, Object> figures(Tally tally) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("rounds", tally.rounds);
    figures.put("iterationsAtOnce", ITERATIONS);
    figures.put("abandonedIterations", ABANDONED);
    figures.put("unfinished", tally.unfinished);
    figures.put("nodesLost", tally.lost.size());
    figures.put("gets", tally.gets.times().count());
    figures.put("failedGets", tally.gets.failures());
    figures.put("getP99Millis", p99Millis(tally));
    figures.put("heapBeforeMiB", tally.heapBeforeMib);
    figures.put("heapAfterMiB", tally.heapAfterMib);
    return figures;
  }

  private static long p99Millis(Tally tally) {
    return Math.ceilDiv(tally.gets.times().p99Micros(), 1_000);
  }

  private static List<String> violations(Tally tally) {
    List<String> violations = new ArrayList<>(tally.lost);
    if (tally.unfinished > 0) {
      violations.add(tally.unfinished + " iterations did not deliver each entry once");
    }
    if (tally.gets.failures() > 0) {
      violations.add(tally.gets.failures() + " gets failed");
    }
    if (p99Millis(tally) >= MAX_P99_MILLIS) {
      violations.add(
          "one get in 100 took " + p99Millis(tally) + " ms or longer, not " + MAX_P99_MILLIS);
    }
    if (tally.heapAfterMib > tally.heapBeforeMib + MAX_HEAP_GROWTH_MIB) {
      violations.add(
          tally.heapAfterMib
              + " MiB of a heap were in use "
              + FREE_SECONDS
              + " s after scans, "
              + tally.heapBeforeMib
              + " before");
    }
    return violations;
  }
}
