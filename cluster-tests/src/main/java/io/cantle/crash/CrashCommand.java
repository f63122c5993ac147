package io.cantle.crash;

import io.cantle.chaos.process.CommandOutput;
import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.UsageException;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * The command {@code crash}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "crash",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Lets processes write to stores and logs and stops them in the middle of it: cuts the power of"
          + " file systems in images, kills, has calls of the system fail. What was acknowledged"
          + " must be there, and nothing that nobody wrote.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if nothing is lost or torn, 1 if something is or a writer failed, 2 if something"
          + " impossible was asked for, 3 if root, mount, mkfs.ext4 or mkfs.xfs is missing."
    })
public final class CrashCommand implements Callable<Integer> {
  private static final int DEFAULT_PLANTED_CUTS = 40;
  private static final long MAX_SIMULATED = 1_000_000_000L;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final PrintStream out;
  private final PrintStream errors;

  @Option(
      names = "--cuts",
      paramLabel = "N",
      description = "how often the power is cut, as root; 50 unless told otherwise")
  private int cuts = 50;

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "how often a writer is killed; 10 unless told otherwise")
  private int kills = 10;

  @Option(
      names = "--errors",
      paramLabel = "N",
      description = "how often a write or sync fails once, by strace; 10 unless told otherwise")
  private int failures = 10;

  @Option(
      names = "--filesystems",
      paramLabel = "KIND",
      split = ",",
      description = "on which the power is cut: ext4, xfs; both unless told otherwise")
  private List<String> fileSystems = List.of("ext4", "xfs");

  @Option(names = "--seed", paramLabel = "S", description = "draws the moments; by the time")
  private @Nullable Long seed;

  @Option(
      names = "--planted",
      description = "has writers acknowledge before they sync: a power cut must find that")
  private boolean planted;

  @Option(
      names = "--simulated",
      paramLabel = "N",
      description = "only this: so many crashes of logs and stores on the simulated disk")
  private @Nullable Long simulated;

  @Option(
      names = "--mutations",
      description = "only this: leaves out each sync in turn, and says which seed notices")
  private boolean mutations;

  @Option(names = "--json", paramLabel = "FILE", description = "writes the figures there as well")
  private @Nullable Path json;

  // Only picocli uses it.
  @SuppressWarnings("unused")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "shows this")
  private boolean help;

  /** Creates a command that prints where this process prints. */
  public CrashCommand() {
    this(System.out, System.err);
  }

  CrashCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public Integer call() throws IOException {
    try {
      JsonFile.checkWritable(json);
      return simulated == null && !mutations ? runReal(settings()) : runSimulated();
    } catch (UsageException | IllegalArgumentException e) {
      return printError(e.getMessage(), ExitCode.USAGE);
    } catch (CrashException e) {
      return printError(e.getMessage(), e.status());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return printError("interrupted", CrashException.FAILED_STATUS);
    }
  }

  private CrashSettings settings() {
    long drawn = seed == null ? System.currentTimeMillis() : seed;
    return planted
        ? new CrashSettings(DEFAULT_PLANTED_CUTS, 0, 0, fileSystems, drawn, SyncPoint.BATCH.name())
        : new CrashSettings(cuts, kills, failures, fileSystems, drawn, CrashWriter.HONEST);
  }

  private int runSimulated() throws IOException {
    long first = seed == null ? System.currentTimeMillis() : seed;
    if (first < 0) {
      throw new IllegalArgumentException("--seed " + first + " is below 0");
    }
    SimulatedCrashCampaign crashes = new SimulatedCrashCampaign(out::println);
    long start = System.nanoTime();
    boolean holds = true;
    if (simulated != null) {
      if (simulated < 1 || simulated > MAX_SIMULATED) {
        throw new IllegalArgumentException(
            "--simulated " + simulated + " is not within 1 to " + MAX_SIMULATED);
      }
      out.println("seed: " + first);
      crashes.figures().put("seed", first);
      holds = crashes.runSeeds(simulated, first);
    }
    if (mutations) {
      holds &= crashes.findsAllMutations();
    }
    crashes.figures().put("seconds", (System.nanoTime() - start) / NANOS_PER_SECOND);
    return printFigures(crashes.figures(), holds);
  }

  private int runReal(CrashSettings settings)
      throws CrashException, IOException, InterruptedException {
    if (settings.cuts() > 0) {
      checkTools(settings);
    }
    out.println("seed: " + settings.seed());
    long start = System.nanoTime();
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seed", settings.seed());
    boolean clean;
    try (CrashResources resources = new CrashResources()) {
      CrashCampaign crashes = new CrashCampaign(settings, resources, out::println);
      try {
        crashes.run();
      } catch (CrashException e) {
        if (resources.isEnding()) {
          throw new InterruptedException();
        }
        throw e;
      }
      figures.putAll(crashes.figures());
      clean = crashes.isClean();
    }
    figures.put("seconds", (System.nanoTime() - start) / NANOS_PER_SECOND);
    if (settings.isPlanted()) {
      figures.put("planted", 1);
      figures.put("missed", clean ? 1 : 0);
    }
    return printFigures(figures, clean != settings.isPlanted());
  }

  private int printFigures(Map<String, Object> figures, boolean holds) throws IOException {
    out.println();
    figures.forEach((name, value) -> out.println(name + ": " + value));
    JsonFile.write(json, figures);
    return holds ? ExitCode.OK : CrashException.FAILED_STATUS;
  }

  /** Checks for the tools that power cuts need, before anything is created. */
  private static void checkTools(CrashSettings settings)
      throws CrashException, InterruptedException {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw missingTools(
          "only root can mount what the power is cut of; run this as root, or with --cuts 0");
    }
    if (!CommandOutput.run(List.of("mount", "-V")).isSuccess()) {
      throw missingTools("mount is missing: install mount");
    }
    for (String kind : settings.fileSystems()) {
      if (!CommandOutput.run(List.of("mkfs." + kind, "-V")).isSuccess()) {
        String other = kind.equals("xfs") ? "ext4" : "xfs";
        throw missingTools(
            "mkfs."
                + kind
                + " is missing: install "
                + DiskImage.PACKAGES.get(kind)
                + ", or leave it out by --filesystems "
                + other);
      }
    }
  }

  private static CrashException missingTools(String problem) {
    return new CrashException(CrashException.LACKING_STATUS, problem);
  }

  private int printError(@Nullable String problem, int status) {
    errors.println("cantle crash: " + problem);
    return status;
  }
}
