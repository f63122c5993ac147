package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.ChildProcess;
import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A run of the black box. Nodes start, clients work, and faults are made until the time is up. Then
 * everything must recover, is read once more, and the histories of the clients are checked.
 *
 * <p><b>Threading:</b> one thread, the conductor's; another one shows progress.
 */
final class ChaosRun {
  private static final Duration FILL_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration READ_TIMEOUT = Duration.ofMinutes(5);
  private static final int PROGRESS_INTERVAL_MILLIS = 2_000;

  private final ChaosSettings settings;
  private final TestNetwork network;
  private final Path folder;
  private final Consumer<String> progress;
  private final List<String> failures = new ArrayList<>();

  ChaosRun(ChaosSettings settings, TestNetwork network, Path folder, Consumer<String> progress) {
    this.settings = settings;
    this.network = network;
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * The result of a run.
   *
   * @param figures every figure under its name, in the order of the report
   * @param violations the first violations, for people
   * @param isClean whether there were none
   */
  record ChaosOutcome(Map<String, Long> figures, List<String> violations, boolean isClean) {}

  /** Runs everything on nodes that listen at a port. */
  ChaosOutcome run(NodeFleet fleet) throws ChaosException, InterruptedException, IOException {
    try (FaultLog log = new FaultLog(folder)) {
      startWork(fleet);
      Nemesis nemesis = new Nemesis(settings, network, fleet, log, this::reportEpisode);
      long began = System.nanoTime();
      injectFaults(fleet, nemesis, began);
      long faultSeconds = (System.nanoTime() - began) / 1_000_000_000L;
      if (failures.isEmpty()) {
        stopAndRead(fleet);
      }
      fleet.close();
      reportProgress("checking what the clients saw");
      return toOutcome(nemesis, faultSeconds);
    }
  }

  private void reportEpisode(String kind) {
    reportProgress("  " + kind);
  }

  private void reportProgress(String text) {
    progress.accept(text);
  }

  private void startWork(NodeFleet fleet) throws ChaosException, InterruptedException {
    reportProgress("starting " + settings.nodes() + " nodes: " + network.description());
    List<ChaosNodeProcess> nodes = new ArrayList<>();
    for (int place = 0; place < settings.nodes(); place++) {
      nodes.add(fleet.start(place));
    }
    for (ChaosNodeProcess node : nodes) {
      fleet.awaitJoined(node);
    }
    fleet.awaitSettled();
    if (nodes.getFirst().ask(NodeOrder.FILL, JsonLine.empty(), FILL_TIMEOUT).isEmpty()) {
      throw new ChaosException(ChaosException.FAILED_STATUS, "the first keys could not be put");
    }
    for (ChaosNodeProcess node : nodes) {
      fleet.awaitWorking(node);
    }
  }

  /** Runs episodes until the time is up; one that does not end as it should is the last. */
  private void injectFaults(NodeFleet fleet, Nemesis nemesis, long began)
      throws InterruptedException {
    Thread shows = Thread.ofPlatform().daemon().start(() -> printProgress(fleet, began));
    try {
      while (System.nanoTime() - began < settings.duration().toNanos()) {
        nemesis.runEpisode();
      }
    } catch (ChaosException e) {
      failures.add(String.valueOf(e.getMessage()));
      reportProgress("given up: " + e.getMessage());
      dumpThreads(fleet);
    } finally {
      shows.interrupt();
    }
  }

  private static void dumpThreads(NodeFleet fleet) throws InterruptedException {
    for (ChaosNodeProcess node : fleet.runningNodes()) {
      node.dumpThreads();
    }
  }

  private void printProgress(NodeFleet fleet, long began) {
    try {
      while (true) {
        Thread.sleep(PROGRESS_INTERVAL_MILLIS);
        reportProgress(
            (System.nanoTime() - began) / 1_000_000_000L
                + " of "
                + settings.duration().toSeconds()
                + " s, "
                + fleet.operationCount()
                + " operations");
      }
    } catch (InterruptedException e) {
      // There is no more progress to show.
    }
  }

  /** Ends the clients, and has everything read once more. */
  private void stopAndRead(NodeFleet fleet) throws InterruptedException {
    reportProgress("all faults over; reading everything once more");
    List<ChaosNodeProcess> nodes = fleet.runningNodes();
    for (JsonLine stopped : orderAll(nodes, NodeOrder.STOP, STOP_TIMEOUT, _ -> JsonLine.empty())) {
      if (stopped.number("hanging") > 0) {
        failures.add(stopped.number("hanging") + " calls of a node do not end");
      }
    }
    if (!failures.isEmpty()) {
      dumpThreads(fleet);
    }
    orderAll(
        nodes,
        NodeOrder.READ_ALL,
        READ_TIMEOUT,
        part -> JsonLine.empty().with("part", part).with("parts", nodes.size()));
  }

  private interface PartArguments {
    JsonLine of(int number);
  }

  private List<JsonLine> orderAll(
      List<ChaosNodeProcess> nodes, NodeOrder order, Duration patience, PartArguments parts)
      throws InterruptedException {
    List<CompletableFuture<JsonLine>> asked =
        IntStream.range(0, nodes.size())
            .mapToObj(number -> nodes.get(number).order(order, parts.of(number)))
            .toList();
    List<JsonLine> answers = new ArrayList<>();
    for (int number = 0; number < asked.size(); number++) {
      Optional<JsonLine> answer = ChildProcess.await(asked.get(number), patience);
      answer.ifPresent(answers::add);
      if (answer.isEmpty()) {
        failures.add(
            nodes.get(number).settings().historyFile()
                + " did not "
                + order
                + " within "
                + patience.toSeconds()
                + " s");
      }
    }
    return answers;
  }

  /**
   * Returns what was too slow, where that counts. A busy machine is slow without any fault of the
   * grid.
   */
  static List<String> violatedTimes(ChaosSettings settings, FailoverTimes failovers) {
    return settings.strictTimes() ? failovers.slowCauses() : List.of();
  }

  private ChaosOutcome toOutcome(Nemesis nemesis, long faultSeconds)
      throws IOException, ChaosException, InterruptedException {
    HistoryFindings findings = HistoryFindings.check(ChaosHistory.read(folder));
    if (network instanceof NamespaceNetwork namespace && namespace.foreignPackets() > 0) {
      failures.add(namespace.foreignPackets() + " packets went around the cuts");
    }
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("seed", settings.seed());
    figures.put("nodes", (long) settings.nodes());
    figures.put("owners", (long) settings.owners());
    figures.put("seconds", faultSeconds);
    figures.putAll(findings.figures());
    for (FaultKind kind : FaultKind.values()) {
      figures.put(kind.plural(), nemesis.episodeCounts().getOrDefault(kind, 0L));
    }
    figures.putAll(nemesis.failovers().figures());
    failures.addAll(violatedTimes(settings, nemesis.failovers()));
    figures.put("violations", findings.violationCount() + failures.size());
    List<String> violations = new ArrayList<>(failures);
    violations.addAll(findings.violations());
    return new ChaosOutcome(
        figures,
        violations,
        violations.isEmpty() && figures.getOrDefault("registersUndecided", 0L) == 0);
  }
}
