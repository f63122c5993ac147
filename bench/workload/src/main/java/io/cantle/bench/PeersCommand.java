package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
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
 * {@code bench peers}: the same work by Cantle and its peers.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "peers",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis =
        "cantle bench peers [--quick] [--json=FILE] [--rounds=N] [--products=A,B] [--workloads=A,B]",
    header = "Cantle beside its peers, at the same work.",
    descriptionHeading = "%n",
    description = {
      "Measures Cantle beside Infinispan and Hazelcast: 6 nodes in one JVM, 2 owners, 50,000 entries "
          + "of 1,000 bytes, TCP over loopback, a heap of 4 GiB. Each product and round has a JVM of "
          + "its own; the products take turns. Every result is checked.",
      "Without --quick the same with longer rounds: steadier figures in about half an hour.",
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {
      "Workloads: size, get, group (filter, then count by hour), iterate, put (answers the old value), "
          + "set (a put that answers nothing, where the product has one).",
      "Exit code: 0 all measured and right, 1 something failed, 2 bad input."
    })
final class PeersCommand implements Callable<Integer> {

  /** What is measured with {@code --quick}, unless workloads are named. */
  static final Set<Workload> QUICK_WORKLOADS =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(Workload.SET)));

  private static final int MAX_ROUNDS = 100;

  /** What a JVM takes until its entries are loaded, about. */
  static final int STARTING_SECONDS = 10;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--quick", description = "Short rounds: less than ten minutes in all.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write machine, flags and rows to this file as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "JVMs per product, 1 to " + MAX_ROUNDS + ". Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--products",
      paramLabel = "A,B",
      split = ",",
      converter = ProductConverter.class,
      description = "Some of cantle, infinispan, hazelcast. Default: all.")
  private List<Product> products = List.of(Product.values());

  @Option(
      names = "--workloads",
      paramLabel = "A,B",
      split = ",",
      converter = WorkloadConverter.class,
      description = "Some of the workloads below. Default: all, with --quick all but set.")
  private @Nullable List<Workload> workloads;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // Picocli acts on it before the command runs.
  private boolean help;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Pace pace = quick ? Pace.QUICK : Pace.FULL;
    Set<Product> chosen = new TreeSet<>(products);
    List<Measure> measures = Measure.of(chosenWorkloads());
    // Also finds out before minutes are spent whether all drivers are built.
    List<RoundProcess> drivers = new ArrayList<>();
    for (Product product : chosen) {
      drivers.add(RoundProcess.of(product, pace, measures));
    }
    Duration expected = expected(pace, measures, chosen.size());
    out.printf(
        Locale.ROOT,
        "%s; rounds: %d; about %d min%n",
        String.join(", ", chosen.stream().map(Product::label).toList()),
        rounds,
        Math.max(1, Math.round(expected.toSeconds() / 60.0)));

    long begin = System.nanoTime();
    var results = new Results();
    for (int round = 1; round <= rounds; round++) {
      for (RoundProcess driver : drivers) {
        String title =
            String.format(Locale.ROOT, "round %d of %d, %s: ", round, rounds, driver.label());
        RoundResult result = driver.run(line -> out.println(title + line));
        result.failures().forEach(failure -> err.println("cantle bench: " + title + failure));
        results.add(driver.product(), result);
      }
    }

    List<Row> rows = results.rows();
    out.println();
    new Table(rows).print(out);
    out.println();
    Path file = json;
    if (file != null) {
      Files.writeString(file, Json.text(new Report(Machine.here(), RoundProcess.FLAGS, rows)));
      out.println("json: " + file);
    }
    out.println("rounds: " + rounds);
    out.println("seconds: " + Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    out.println("rows: " + rows.size());
    out.println("failures: " + results.failures());
    return results.failures() == 0 ? 0 : Main.EXIT_FAILED;
  }

  private Set<Workload> chosenWorkloads() {
    if (workloads != null) {
      return EnumSet.copyOf(workloads);
    }
    return quick ? QUICK_WORKLOADS : EnumSet.allOf(Workload.class);
  }

  private void check() {
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw bad("--rounds " + rounds + " is not within 1 to " + MAX_ROUNDS);
    }
    JsonFile.check(spec, json);
  }

  private ParameterException bad(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private Duration expected(Pace pace, List<Measure> measures, int productCount) {
    int seconds = measures.stream().mapToInt(pace::seconds).sum() + STARTING_SECONDS;
    return Duration.ofSeconds((long) seconds * rounds * productCount);
  }
}
