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
 * A run: nodes start, clients work, faults are made until time is up, then everything must become
 * whole, is read once more, and what the clients wrote is checked.
 *
 * <p><b>Threading:</b> one thread, the conductor's; another one shows progress.
 */
final class Chaos {
  private static final Duration FILL_PATIENCE = Duration.ofMinutes(1);
  private static final Duration STOP_PATIENCE = Duration.ofMinutes(1);
  private static final Duration READ_PATIENCE = Duration.ofMinutes(5);
  private static final int PROGRESS_MILLIS = 2_000;

  private final ChaosSettings settings;
  private final Network network;
  private final Path folder;
  private final Consumer<String> progress;
  private final List<String> failures = new ArrayList<>();

  Chaos(ChaosSettings settings, Network network, Path folder, Consumer<String> progress) {
    this.settings = settings;
    this.network = network;
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * What came of it.
   *
   * @param figures every figure under its name, in the order of the report
   * @param violations the first things violated, for people
   * @param clean whether nothing was
   */
  record Outcome(Map<String, Long> figures, List<String> violations, boolean clean) {}

  /** Runs all of it on nodes that listen at a port. */
  Outcome run(Fleet fleet) throws ChaosException, InterruptedException, IOException {
    try (FaultLog log = new FaultLog(folder)) {
      begin(fleet);
      Nemesis nemesis = new Nemesis(settings, network, fleet, log, this::episode);
      long began = System.nanoTime();
      torment(fleet, nemesis, began);
      long faultSeconds = (System.nanoTime() - began) / 1_000_000_000L;
      if (failures.isEmpty()) {
        finish(fleet);
      }
      fleet.close();
      say("checking what the clients saw");
      return outcome(nemesis, faultSeconds);
    }
  }

  private void episode(String kind) {
    say("  " + kind);
  }

  private void say(String text) {
    progress.accept(text);
  }

  private void begin(Fleet fleet) throws ChaosException, InterruptedException {
    say("starting " + settings.nodes() + " nodes: " + network.description());
    List<NodeProcess> nodes = new ArrayList<>();
    for (int place = 0; place < settings.nodes(); place++) {
      nodes.add(fleet.start(place));
    }
    for (NodeProcess node : nodes) {
      fleet.awaitJoined(node);
    }
    fleet.awaitSettled();
    if (nodes.getFirst().ask(Order.FILL, JsonLine.empty(), FILL_PATIENCE).isEmpty()) {
      throw new ChaosException(ChaosException.FAILED, "the first keys could not be put");
    }
    for (NodeProcess node : nodes) {
      fleet.awaitWorking(node);
    }
  }

  /** Episodes until time is up; one that does not end as it should is the last. */
  private void torment(Fleet fleet, Nemesis nemesis, long began) throws InterruptedException {
    Thread shows = Thread.ofPlatform().daemon().start(() -> show(fleet, began));
    try {
      while (System.nanoTime() - began < settings.length().toNanos()) {
        nemesis.episode();
      }
    } catch (ChaosException e) {
      failures.add(String.valueOf(e.getMessage()));
      say("given up: " + e.getMessage());
      dumpThreads(fleet);
    } finally {
      shows.interrupt();
    }
  }

  private static void dumpThreads(Fleet fleet) throws InterruptedException {
    for (NodeProcess node : fleet.running()) {
      node.dumpThreads();
    }
  }

  private void show(Fleet fleet, long began) {
    try {
      while (true) {
        Thread.sleep(PROGRESS_MILLIS);
        say(
            (System.nanoTime() - began) / 1_000_000_000L
                + " of "
                + settings.length().toSeconds()
                + " s, "
                + fleet.operations()
                + " operations");
      }
    } catch (InterruptedException e) {
      // Nothing more to show.
    }
  }

  /** Ends the clients, and has everything read once more. */
  private void finish(Fleet fleet) throws InterruptedException {
    say("all faults over; reading everything once more");
    List<NodeProcess> nodes = fleet.running();
    for (JsonLine stopped : all(nodes, Order.STOP, STOP_PATIENCE, _ -> JsonLine.empty())) {
      if (stopped.number("hanging") > 0) {
        failures.add(stopped.number("hanging") + " calls of a node do not end");
      }
    }
    if (!failures.isEmpty()) {
      dumpThreads(fleet);
    }
    all(
        nodes,
        Order.READ_ALL,
        READ_PATIENCE,
        part -> JsonLine.empty().with("part", part).with("parts", nodes.size()));
  }

  private interface Part {
    JsonLine of(int number);
  }

  private List<JsonLine> all(List<NodeProcess> nodes, Order order, Duration patience, Part parts)
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
            nodes.get(number).settings().file()
                + " did not "
                + order
                + " within "
                + patience.toSeconds()
                + " s");
      }
    }
    return answers;
  }

  /** What was too slow, where that is to count: a busy machine makes slow what is not. */
  static List<String> timesViolated(ChaosSettings settings, Failovers failovers) {
    return settings.strictTimes() ? failovers.tooSlow() : List.of();
  }

  private Outcome outcome(Nemesis nemesis, long faultSeconds)
      throws IOException, ChaosException, InterruptedException {
    Findings findings = Findings.of(History.read(folder));
    if (network instanceof Namespace namespace && namespace.foreignPackets() > 0) {
      failures.add(namespace.foreignPackets() + " packets went around the cuts");
    }
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("seed", settings.seed());
    figures.put("nodes", (long) settings.nodes());
    figures.put("owners", (long) settings.owners());
    figures.put("seconds", faultSeconds);
    figures.putAll(findings.figures());
    for (FaultKind kind : FaultKind.values()) {
      figures.put(kind.plural(), nemesis.counts().getOrDefault(kind, 0L));
    }
    figures.putAll(nemesis.failovers().figures());
    failures.addAll(timesViolated(settings, nemesis.failovers()));
    figures.put("violations", findings.violationCount() + failures.size());
    List<String> violations = new ArrayList<>(failures);
    violations.addAll(findings.violations());
    return new Outcome(
        figures,
        violations,
        violations.isEmpty() && figures.getOrDefault("registersUndecided", 0L) == 0);
  }
}
