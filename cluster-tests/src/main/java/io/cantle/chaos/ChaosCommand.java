package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.LoopbackPorts;
import io.cantle.chaos.scenario.ChaosScenario;
import io.cantle.chaos.scenario.ScenarioCatalog;
import io.cantle.chaos.scenario.ScenarioResult;
import io.cantle.chaos.scenario.ScenarioRunner;
import io.cantle.chaos.scenario.ScenarioSettings;
import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.UsageException;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code chaos}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "chaos",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Runs real nodes as processes in a network namespace of their own, kills, stops and cuts them"
          + " off from each other while clients work, and checks that what the clients saw is what"
          + " one map would have shown them.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if nothing was violated, 1 if something was or a node failed, 2 if something"
          + " impossible was asked for, 3 if root, ip, nft or Go is missing."
    })
public final class ChaosCommand implements Callable<Integer> {
  private static final int CLEAN_STATUS = 0;
  private static final int PORT = 7800;
  private static final double SECONDS_PER_MINUTE = 60;

  private final PrintStream out;
  private final PrintStream errors;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "how long faults are made, 1 unless told otherwise; 0.5 is possible")
  private double minutes = 1;

  @Option(names = "--nodes", paramLabel = "N", description = "how many nodes, 3 to 9; 5")
  private int nodes = 5;

  @Option(names = "--owners", paramLabel = "K", description = "owners of each entry; 3")
  private int owners = 3;

  @Option(names = "--seed", paramLabel = "S", description = "draws faults and calls; by the time")
  private @Nullable Long seed;

  @Option(names = "--rate", paramLabel = "R", description = "calls a second of all clients; 2500")
  private int rate = 2_500;

  @Option(
      names = "--scans",
      paramLabel = "N",
      description = "iterations of 8 MB each node makes at once, with a heap of 128 MB; 0")
  private int scans;

  @Option(
      names = "--faults",
      paramLabel = "KIND",
      split = ",",
      description = "only these kinds: ${COMPLETION-CANDIDATES}")
  private Set<FaultKind> faults = EnumSet.allOf(FaultKind.class);

  @Option(
      names = "--longest-pause",
      paramLabel = "SECONDS",
      description = "how long a process stands still at most, 1 to 20; 20")
  private int longestPauseSeconds = (int) ChaosSettings.MAX_PAUSE.toSeconds();

  @Option(
      names = "--strict-times",
      description = "keys written again later than promised violate as well: on a quiet machine")
  private boolean strictTimes;

  @Option(
      names = "--loopback",
      description = "without a namespace: needs no root, and cuts nothing")
  private boolean loopback;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description = "runs a script of faults instead of drawn ones; names are listed below")
  private @Nullable String scenario;

  @Option(
      names = "--plant",
      paramLabel = "BUG",
      description = "with --scenario: plants a bug in its nodes, which it must find")
  private @Nullable String planted;

  @Option(
      names = "--pauses",
      paramLabel = "N",
      description = "with --scenario frozen-clock: how often a node stands still; 30")
  private int pauses = 30;

  @Option(names = "--json", paramLabel = "FILE", description = "writes the figures there as well")
  private @Nullable Path json;

  @Option(
      names = "--history",
      paramLabel = "DIR",
      description = "keeps the histories there; without it only those of a violation are kept")
  private @Nullable Path history;

  @Option(
      names = "--check",
      paramLabel = "DIR",
      description = "runs nothing, checks the histories kept there")
  private @Nullable Path check;

  @Option(
      names = "--porcupine",
      paramLabel = "DIR",
      description = "runs nothing, has the histories kept there checked by Porcupine; needs Go")
  private @Nullable Path porcupine;

  // Only picocli uses it.
  @SuppressWarnings("unused")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "shows this")
  private boolean help;

  /** Creates a command that prints where this process prints. */
  public ChaosCommand() {
    this(System.out, System.err);
  }

  ChaosCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public Integer call() throws IOException {
    try {
      if (porcupine != null) {
        return PorcupineCheck.checkFolder(folder(porcupine), out);
      }
      if (scenario != null) {
        return scenario(ScenarioCatalog.find(scenario));
      }
      if (planted != null) {
        throw new IllegalArgumentException("--plant needs --scenario");
      }
      return check == null ? run() : printOutcome(checkHistory(folder(check)));
    } catch (UsageException | IllegalArgumentException e) {
      return printError(e.getMessage(), ChaosException.BAD_INPUT_STATUS);
    } catch (ChaosException e) {
      return printError(e.getMessage(), e.status());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return printError("interrupted", ChaosException.FAILED_STATUS);
    }
  }

  private static Path folder(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(folder + " is no folder");
    }
    return folder;
  }

  private int run() throws ChaosException, InterruptedException, IOException, UsageException {
    ChaosSettings settings =
        new ChaosSettings(
            runDuration(),
            nodes,
            owners,
            rate,
            scans,
            seedOrRandom(),
            loopback ? withoutCuts(faults) : faults,
            Duration.ofSeconds(longestPauseSeconds),
            strictTimes,
            history);
    JsonFile.checkWritable(json);
    TestNetwork network = loopback ? new LoopbackNetwork() : NamespaceNetwork.forThisProcess();
    ChaosRun.ChaosOutcome outcome;
    try (ChaosResources resources = new ChaosResources(network, history)) {
      network.create();
      Path folder = resources.folder();
      InetAddress first = InetAddress.ofLiteral(ChaosNodeSettings.address(0));
      NodeFleet fleet = resources.fleet(settings, loopback ? LoopbackPorts.findFree(first) : PORT);
      try {
        outcome =
            new ChaosRun(settings, network, folder, text -> printProgress(resources, text))
                .run(fleet);
      } catch (ChaosException e) {
        if (resources.isEnding()) {
          throw new InterruptedException();
        }
        resources.keepFolder();
        throw new ChaosException(e.status(), e.getMessage() + "; logs are in " + folder);
      }
      if (!outcome.isClean()) {
        resources.keepFolder();
      }
      if (resources.isKept()) {
        out.println("histories and logs are in " + folder);
      }
    }
    return printOutcome(outcome);
  }

  /** Prints progress, unless everything is being removed. */
  private void printProgress(ChaosResources resources, String text) {
    if (!resources.isEnding()) {
      out.println(text);
    }
  }

  private static Set<FaultKind> withoutCuts(Set<FaultKind> kinds) {
    return kinds.stream().filter(kind -> !kind.isCut()).collect(Collectors.toSet());
  }

  private static ChaosRun.ChaosOutcome checkHistory(Path folder) throws IOException {
    HistoryFindings findings = HistoryFindings.check(ChaosHistory.read(folder));
    Map<String, Long> figures = new LinkedHashMap<>(findings.figures());
    figures.put("violations", findings.violationCount());
    return new ChaosRun.ChaosOutcome(
        figures, findings.violations(), findings.violationCount() == 0);
  }

  private int scenario(ChaosScenario scenario)
      throws ChaosException, InterruptedException, IOException, UsageException {
    PlantedBug bug = planted == null ? null : ScenarioCatalog.findBug(scenario, planted);
    ScenarioSettings settings = new ScenarioSettings(runDuration(), pauses, seedOrRandom());
    JsonFile.checkWritable(json);
    ScenarioResult result = ScenarioRunner.run(scenario, settings, bug, history, out::println);
    result.violations().forEach(violation -> out.println("violation: " + violation));
    result.figures().forEach((name, value) -> out.println(name + ": " + value));
    JsonFile.write(json, result.figures());
    return result.violations().isEmpty() ? CLEAN_STATUS : ChaosException.FAILED_STATUS;
  }

  private Duration runDuration() {
    return Duration.ofSeconds(Math.round(minutes * SECONDS_PER_MINUTE));
  }

  private long seedOrRandom() {
    return seed == null ? System.currentTimeMillis() : seed;
  }

  private int printOutcome(ChaosRun.ChaosOutcome outcome) throws IOException {
    outcome.violations().forEach(violation -> out.println("violation: " + violation));
    outcome.figures().forEach((name, value) -> out.println(name + ": " + value));
    JsonFile.write(json, outcome.figures());
    return outcome.isClean() ? CLEAN_STATUS : ChaosException.FAILED_STATUS;
  }

  private int printError(@Nullable String problem, int status) {
    errors.println(String.format(Locale.ROOT, "cantle chaos: %s", problem));
    return status;
  }
}
