package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench peers}, which runs the same work on Cantle and its peers.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "peers",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis =
        "cantle bench peers [--quick] [--json=FILE] [--rounds=N] [--products=A,B] [--workloads=A,B]%n"
            + "                   [--baseline=DIR [--least=RATIO]]",
    header = "Cantle beside its peers, at the same work.",
    descriptionHeading = "%n",
    description = {
      "Measures Cantle beside Infinispan and Hazelcast: 6 nodes in one JVM, 2 owners, 50,000 entries "
          + "of 1,000 bytes, TCP over loopback, a heap of 4 GiB. Each product and round has a JVM of "
          + "its own; the products take turns. Every result is checked.",
      "Without --quick the same with longer rounds: steadier figures in about half an hour.",
      "With --baseline Cantle beside another commit of it, checked out and built in DIR. Both JVMs of "
          + "a round are up at once and take turns by the second, so twice the memory is needed; a "
          + "lower bound is that of the 95 %% interval of the ratio.",
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {
      "Workloads: size, get, group (filter, then count by hour), iterate, put (answers the old value), "
          + "set (a put that answers nothing, where the product has one).",
      "Exit code: 0 all measured and right, 1 something failed or is slower than --least, 2 bad "
          + "input, 3 this Java has no compiler for the driver of a baseline."
    })
final class PeersCommand implements Callable<Integer> {

  /** What is measured with {@code --quick}, unless workloads are named. */
  static final Set<Workload> QUICK_WORKLOADS =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(Workload.SET)));

  private static final int MAX_ROUNDS = 100;
  private static final int DEFAULT_ROUNDS = 3;
  private static final int DEFAULT_BASELINE_ROUNDS = 20;
  private static final double MAX_LEAST = 10;

  /** About how long a JVM takes until its entries are loaded. */
  static final int START_SECONDS = 10;

  private static final String NO_COMPILER =
      "--baseline needs a JDK: this Java has no compiler for the driver of the baseline";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--quick",
      description = "Short rounds: less than ten minutes in all without --baseline.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write machine, flags and rows to this file as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "JVMs per product, 1 to "
              + MAX_ROUNDS
              + ". Default: "
              + DEFAULT_ROUNDS
              + ", with --baseline "
              + DEFAULT_BASELINE_ROUNDS
              + " and at least "
              + RatioEstimate.MIN_ROUNDS
              + ".")
  private @Nullable Integer chosenRounds;

  @Option(
      names = "--products",
      paramLabel = "A,B",
      split = ",",
      converter = ProductConverter.class,
      description =
          "Some of cantle, infinispan, hazelcast. Default: all, with --baseline cantle alone.")
  private @Nullable List<Product> products;

  @Option(
      names = "--workloads",
      paramLabel = "A,B",
      split = ",",
      converter = WorkloadConverter.class,
      description = "Some of the workloads below. Default: all, with --quick all but set.")
  private @Nullable List<Workload> workloads;

  @Option(
      names = "--baseline",
      paramLabel = "DIR",
      description = "Compare with the built checkout of Cantle in this folder.")
  private @Nullable Path baseline;

  @Option(
      names = "--least",
      paramLabel = "RATIO",
      description =
          "With --baseline: fail if the lower bound of any workload's ratio is less, such as 0.95.")
  private @Nullable Double least;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // Picocli acts on it before the command runs.
  private boolean help;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    Path other = baseline;
    if (other == null) {
      return run(null, Map.of());
    }
    Optional<DriverCompiler> compiler = DriverCompiler.ofThisJava();
    if (compiler.isEmpty()) {
      spec.commandLine().getErr().println("cantle bench peers: " + NO_COMPILER);
      return Main.EXIT_MISSING_TOOL;
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (var folder = new TemporaryFolder(temporary, "cantle-bench-baseline-")) {
      CheckoutPair checkouts = checkouts(other, compiler.get(), folder.path());
      return run(checkouts.rounds(pace(), measures()), checkouts.values());
    }
  }

  private CheckoutPair checkouts(Path other, DriverCompiler compiler, Path folder)
      throws IOException, InterruptedException {
    try {
      return CheckoutPair.of(PeerRoundProcess.root(), other, compiler, folder);
    } catch (IllegalArgumentException unusable) {
      throw invalidParameter("--baseline: " + unusable.getMessage());
    }
  }

  private int run(@Nullable RoundPair pair, Map<String, Object> checkouts)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    // This also finds out before minutes are spent whether all drivers are built.
    List<PeerRoundProcess> others = new ArrayList<>();
    for (Product product : chosenProducts()) {
      if (pair == null || product != Product.CANTLE) {
        others.add(PeerRoundProcess.of(product, pace(), measures()));
      }
    }
    printPlan(pair, others);
    long begin = System.nanoTime();
    var run = new PeersRun(pair, others, rounds(), out, spec.commandLine().getErr());
    run.measure();

    List<PeerRow> rows = run.results().rows();
    out.println();
    new PeerTable(rows).print(out);
    out.println();
    Map<String, Object> values = new LinkedHashMap<>(checkouts);
    if (pair != null) {
      new ComparisonTable(run.comparison().estimates()).print(out);
      out.println();
      values.putAll(comparisonValues(run.comparison()));
    }
    values.put("rounds", rounds());
    values.put("seconds", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    values.put("rows", rows.size());
    values.put("failures", run.results().failures());
    BenchmarkJsonFile.write(
        spec, json, () -> contents(pair != null, values, rows, run.comparison()));
    values.forEach((name, value) -> out.println(name + ": " + text(value)));
    boolean slower = least != null && run.comparison().countBelow(least) > 0;
    return run.results().failures() == 0 && !slower ? 0 : Main.FAILED_STATUS;
  }

  private void printPlan(@Nullable RoundPair pair, List<PeerRoundProcess> others) {
    List<PeerRoundProcess> all = new ArrayList<>(others);
    if (pair != null) {
      all.addAll(0, List.of(pair.cantle(), pair.baseline()));
    }
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "%s; rounds: %d; about %d min%n",
            String.join(", ", all.stream().map(PeerRoundProcess::label).toList()),
            rounds(),
            PeersRun.minutes(expectedSeconds(all.size())));
  }

  private Map<String, Object> comparisonValues(BaselineComparison comparison) {
    Map<String, Object> values = new LinkedHashMap<>(comparison.values());
    if (least != null) {
      values.put("least", least);
      values.put("below_least", comparison.countBelow(least));
    }
    return values;
  }

  private static String text(Object value) {
    return value instanceof Double ratio ? ComparisonTable.figure(ratio) : value.toString();
  }

  private static String contents(
      boolean compared,
      Map<String, Object> values,
      List<PeerRow> rows,
      BaselineComparison comparison) {
    var report =
        new PeerReport(MachineDescription.describeThisMachine(), PeerRoundProcess.FLAGS, rows);
    if (!compared) {
      return BenchmarkJson.toJson(report);
    }
    Map<String, Object> all = new LinkedHashMap<>(values);
    all.put("comparison", comparison.rows());
    all.put("machine", report.machine());
    all.put("flags", report.flags());
    all.put("rows", report.rows());
    return BenchmarkJson.toJson(all);
  }

  private MeasureDurations pace() {
    return quick ? MeasureDurations.QUICK : MeasureDurations.FULL;
  }

  private int rounds() {
    if (chosenRounds != null) {
      return chosenRounds;
    }
    return baseline == null ? DEFAULT_ROUNDS : DEFAULT_BASELINE_ROUNDS;
  }

  private Set<Product> chosenProducts() {
    if (products != null) {
      return new TreeSet<>(products);
    }
    return new TreeSet<>(baseline == null ? Product.ofThisCheckout() : List.of(Product.CANTLE));
  }

  private List<WorkloadMeasure> measures() {
    if (workloads != null) {
      return WorkloadMeasure.of(EnumSet.copyOf(workloads));
    }
    return WorkloadMeasure.of(quick ? QUICK_WORKLOADS : EnumSet.allOf(Workload.class));
  }

  private void check() {
    int fewest = baseline == null ? 1 : RatioEstimate.MIN_ROUNDS;
    if (rounds() < fewest || rounds() > MAX_ROUNDS) {
      throw invalidParameter(
          "--rounds "
              + rounds()
              + " is not within "
              + fewest
              + " to "
              + MAX_ROUNDS
              + (baseline == null ? "" : ", as --baseline needs for an interval"));
    }
    if (least != null && baseline == null) {
      throw invalidParameter(
          "--least " + least + " needs --baseline, which names what to compare with");
    }
    if (least != null && !(least > 0 && least <= MAX_LEAST)) {
      throw invalidParameter("--least " + least + " is not a ratio above 0 and up to " + MAX_LEAST);
    }
    BenchmarkJsonFile.requireWritable(spec, json);
  }

  private ParameterException invalidParameter(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private Duration expectedSeconds(int productCount) {
    int seconds = measures().stream().mapToInt(pace()::seconds).sum() + START_SECONDS;
    return Duration.ofSeconds((long) seconds * rounds() * productCount);
  }
}
