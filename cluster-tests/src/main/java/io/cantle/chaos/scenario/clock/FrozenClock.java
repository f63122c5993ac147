package io.cantle.chaos.scenario.clock;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LoopbackPorts;
import io.cantle.chaos.scenario.ChaosScenario;
import io.cantle.chaos.scenario.ScenarioResult;
import io.cantle.chaos.scenario.ScenarioRun;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The scenario of suspended machines: nodes are paused for 5 s and more, and their monotonic clocks
 * stand still. Meanwhile other nodes increment the counters that the paused ones own. When these
 * resume, threads that read without a break must not return less than writers had been told before.
 *
 * <p>A pause counts only if others have written what the node owns, and if it was read when the
 * node resumed; otherwise it proves nothing. Every other node is started with permission to use
 * native code, so that both kinds of clock are tried.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class FrozenClock implements ChaosScenario {
  private static final int NODES = 5;
  private static final int PAUSED_TOGETHER = 2;
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = 5_000_000_000L;

  /** Others exclude a node after 3 s, and may need longer on a busy machine. */
  private static final long MAX_PAUSE_NANOS = 20_000_000_000L;

  private static final long READ_BEFORE_MILLIS = 300;
  private static final long READ_AFTER_MILLIS = 1_500;
  private static final long POLL_MILLIS = 100;

  private static final String MOMENT = "base/ClockReading.java";
  private static final String MOST =
      "return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));";

  @Override
  public String name() {
    return "frozen-clock";
  }

  @Override
  public String description() {
    return "machines are suspended for 5 s under hot readers, --pauses times: no stale read";
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return List.of(
        PlantedBug.of(
            "lease-by-monotonic-clock",
            "a lease lasts by a clock that stands still while the machine is suspended",
            MOMENT,
            MOST,
            "return later.monotonicNanos - monotonicNanos;"),
        PlantedBug.of(
            "lease-without-time-of-day",
            "a lease lasts by clocks that all stand still where native access is not enabled",
            MOMENT,
            MOST,
            "return Math.max(later.monotonicNanos - monotonicNanos, boot);"));
  }

  @Override
  public ScenarioResult run(ScenarioRun run)
      throws ChaosException, IOException, InterruptedException {
    Path library = HeldClock.compile(run.folder());
    Path file = run.folder().resolve("acked");
    AckedCounters acked = AckedCounters.map(file, FrozenClockNode.COUNTERS);
    List<FrozenNode> nodes = start(run, library, file);
    PauseFigures figures = new PauseFigures();
    SplittableRandom random = new SplittableRandom(run.settings().seed());
    for (int left = run.settings().pauses(); left > 0; ) {
      awaitSettled(nodes);
      List<FrozenNode> round = drawn(nodes, Math.min(left, PAUSED_TOGETHER), random);
      pause(run, round, acked, figures);
      left -= round.size();
    }
    awaitSettled(nodes);
    for (FrozenNode node : nodes) {
      figures.heldBack(node.checkedLagNanos(ANSWER_TIMEOUT));
      if (Files.readString(node.process().log()).contains("restricted method")) {
        figures.violated(node.name() + " warns of native access");
      }
    }
    return figures.result();
  }

  private List<FrozenNode> start(ScenarioRun run, Path library, Path acked)
      throws ChaosException, IOException, InterruptedException {
    int port = LoopbackPorts.findFree(FrozenClockNode.address(0));
    List<FrozenNode> nodes = new ArrayList<>();
    for (int place = 0; place < NODES; place++) {
      String name = FrozenClockNode.name(place);
      HeldClock clock = new HeldClock(library, run.folder().resolve(name + ".held"));
      List<String> options = new ArrayList<>(List.of("-Xmx192m"));
      if (place % 2 == 1) {
        options.add("--enable-native-access=ALL-UNNAMED");
      }
      List<String> arguments =
          List.of(
              Integer.toString(place),
              Integer.toString(NODES),
              Integer.toString(port),
              acked.toString());
      List<String> command =
          clock.commandWithClock(run.javaCommand(options, FrozenClockNode.class, arguments));
      nodes.add(new FrozenNode(run.start(name, command, _ -> {}), clock));
    }
    for (FrozenNode node : nodes) {
      node.process().requireReady(JOIN_TIMEOUT);
    }
    return nodes;
  }

  private static List<FrozenNode> drawn(
      List<FrozenNode> nodes, int count, SplittableRandom random) {
    List<FrozenNode> rest = new ArrayList<>(nodes);
    List<FrozenNode> drawn = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      drawn.add(rest.remove(random.nextInt(rest.size())));
    }
    return drawn;
  }

  /** Suspends some nodes at once, and resumes them one after the other. */
  private static void pause(
      ScenarioRun run, List<FrozenNode> round, AckedCounters acked, PauseFigures figures)
      throws ChaosException, IOException, InterruptedException {
    for (FrozenNode node : round) {
      node.read(ANSWER_TIMEOUT);
    }
    Thread.sleep(READ_BEFORE_MILLIS);
    long[][] before = new long[round.size()][];
    for (int i = 0; i < round.size(); i++) {
      round.get(i).suspend();
      before[i] = values(acked);
    }
    run.progress(
        "suspended "
            + String.join(" and ", round.stream().map(FrozenNode::name).toList())
            + "; pauses so far: "
            + figures.pauses()
            + ", stale reads: "
            + figures.stale());
    long began = System.nanoTime();
    for (int i = 0; i < round.size(); i++) {
      FrozenNode node = round.get(i);
      while (System.nanoTime() - began < PAUSE_NANOS
          || (newer(node, before[i], acked) == 0 && System.nanoTime() - began < MAX_PAUSE_NANOS)) {
        Thread.sleep(POLL_MILLIS);
      }
      long newer = newer(node, before[i], acked);
      node.resume();
      Thread.sleep(READ_AFTER_MILLIS);
      figures.add(node.name(), newer, node.stopReading(ANSWER_TIMEOUT));
    }
  }

  private static long[] values(AckedCounters acked) {
    return IntStream.range(0, FrozenClockNode.COUNTERS).mapToLong(acked::get).toArray();
  }

  /** Returns how many of the counters that a node reads have been incremented. */
  private static long newer(FrozenNode node, long[] before, AckedCounters acked) {
    return node.owned().stream().filter(counter -> acked.get(counter) > before[counter]).count();
  }

  private static void awaitSettled(List<FrozenNode> nodes)
      throws ChaosException, InterruptedException {
    long began = System.nanoTime();
    while (true) {
      boolean settled = true;
      for (FrozenNode node : nodes) {
        ChildProcess process = node.process();
        if (process.hasFailed()) {
          throw new ChaosException(
              ChaosException.FAILED_STATUS, node.name() + " ended by itself; see " + process.log());
        }
        settled &=
            process
                .orderAndAwait("state", JsonLine.empty(), ANSWER_TIMEOUT)
                .filter(state -> state.number("members") == NODES && state.number("settled") == 1)
                .isPresent();
      }
      if (settled) {
        return;
      }
      if (System.nanoTime() - began > SETTLE_TIMEOUT.toNanos()) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS,
            "not settled " + SETTLE_TIMEOUT.toSeconds() + " s after the last pause");
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
