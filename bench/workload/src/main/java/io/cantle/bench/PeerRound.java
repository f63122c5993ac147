package io.cantle.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * One round of one product: the main class of the JVM that holds its whole cluster. Its arguments
 * are the folder for its files, the {@link MeasureDurations}, {@link #ALONE} or {@link #PAIRED},
 * and {@link WorkloadMeasure} labels. Lines for the user go to standard output. What the product
 * prints goes to standard error, which the parent keeps in a file.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
final class PeerRound {

  /** The name of the file in the folder to which the {@link PeerRoundResult} is written. */
  static final String RESULT_FILE = "result.properties";

  /** The round runs by itself, from beginning to end. */
  static final String ALONE = "alone";

  /** The round takes turns with another JVM, see {@link TurnGate}. */
  static final String PAIRED = "paired";

  private final Path folder;
  private final MeasureDurations pace;
  private final boolean paired;
  private final TurnGate gate;
  private final PrintStream console;

  private PeerRound(
      Path folder, MeasureDurations pace, boolean paired, TurnGate gate, PrintStream console) {
    this.folder = folder;
    this.pace = pace;
    this.paired = paired;
    this.gate = gate;
    this.console = console;
  }

  public static void main(String[] args) throws IOException {
    PrintStream console = System.out;
    System.setOut(System.err);
    exitAfterMain();
    Path folder = Path.of(args[0]);
    MeasureDurations pace = MeasureDurations.valueOf(args[1]);
    boolean paired = args[2].equals(PAIRED);
    var gate = new TurnGate(paired, console);
    watchParent(gate);
    List<WorkloadMeasure> measures =
        Arrays.stream(args).skip(3).map(WorkloadMeasure::parse).toList();
    var round = new PeerRound(folder, pace, paired, gate, console);
    round.run(measures).write(folder.resolve(RESULT_FILE));
    // Six nodes that leave properly would move every entry several times, for nothing.
    Runtime.getRuntime().halt(0);
  }

  private PeerRoundResult run(List<WorkloadMeasure> measures) {
    gate.begin();
    console.println("starting " + LoadedCluster.NODES + " nodes");
    Map<WorkloadMeasure, Double> scores = new TreeMap<>();
    List<String> failures = new ArrayList<>();
    long begin = System.nanoTime();
    LoadedCluster cluster;
    try {
      cluster = LoadedCluster.start();
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      return PeerRoundResult.ofFailure("start and load: " + reason(failure));
    }
    console.printf(
        Locale.ROOT,
        "%d nodes up, %,d entries loaded in %.1f s%n",
        LoadedCluster.NODES,
        LoadedCluster.ENTRIES,
        Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1e3);
    gate.end();
    for (WorkloadMeasure measure : measures) {
      try {
        double score = paired ? measureInTurns(measure) : measure(measure);
        scores.put(measure, score);
        console.printf(Locale.ROOT, "%s: %s ops/s%n", measure, PeerTable.figure(score));
      } catch (RunnerException failure) {
        failure.printStackTrace();
        failures.add(measure + ": " + reason(failure));
      }
    }
    gate.begin();
    checkAfterwards(failures);
    gate.end();
    return new PeerRoundResult(cluster.driver().version(), scores, failures);
  }

  /** Checks that everything is still there after all writes. */
  private static void checkAfterwards(List<String> failures) {
    var benchmark = new PeerBenchmark();
    try {
      benchmark.size();
      benchmark.iterate();
      benchmark.group();
    } catch (RuntimeException failure) {
      failure.printStackTrace();
      failures.add("after all measures: " + reason(failure));
    }
  }

  private double measure(WorkloadMeasure measure) throws RunnerException {
    Options options =
        options(measure)
            .warmupIterations(1)
            .warmupTime(TimeValue.seconds(pace.warmUpSeconds(measure)))
            .measurementIterations(pace.iterations())
            .measurementTime(TimeValue.seconds(pace.iterationSeconds()))
            .output(folder.resolve("jmh-" + measure.label() + ".txt").toString())
            .build();
    return score(options);
  }

  /**
   * Warms up in one turn and then measures as long as {@link #measure} does, one slice per turn. A
   * measure that fails still takes all its turns, so that the other round keeps its order.
   */
  private double measureInTurns(WorkloadMeasure measure) throws RunnerException {
    double sum = 0;
    RunnerException failure = null;
    for (int slice = 0; slice <= pace.slices(); slice++) {
      gate.begin();
      try {
        if (slice == 0) {
          slice(measure, slice, pace.warmUpSeconds(measure));
        } else if (failure == null) {
          sum += slice(measure, slice, MeasureDurations.SLICE_SECONDS);
        }
      } catch (RunnerException failed) {
        failure = failed;
      }
      gate.end();
    }
    if (failure != null) {
      throw failure;
    }
    return sum / pace.slices();
  }

  private double slice(WorkloadMeasure measure, int slice, int seconds) throws RunnerException {
    Options options =
        options(measure)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.seconds(seconds))
            .output(folder.resolve("jmh-" + measure.label() + "-" + slice + ".txt").toString())
            .build();
    return score(options);
  }

  // This JVM is the fork already: started for this product and round alone.
  private static ChainedOptionsBuilder options(WorkloadMeasure measure) {
    return new OptionsBuilder()
        .include(PeerBenchmark.class.getName() + "\\." + measure.workload().label() + "$")
        .forks(0)
        .threads(measure.threads())
        .timeout(TimeValue.seconds(60))
        .shouldFailOnError(true);
  }

  private static double score(Options options) throws RunnerException {
    Collection<RunResult> results = new Runner(options).run();
    return results.iterator().next().getPrimaryResult().getScore();
  }

  /**
   * Returns the innermost cause: JMH wraps what a workload threw, and keeps it as a suppressed
   * exception.
   */
  static String reason(Throwable failure) {
    Throwable innermost = failure;
    while (true) {
      if (innermost.getCause() != null) {
        innermost = innermost.getCause();
      } else if (innermost.getSuppressed().length > 0) {
        innermost = innermost.getSuppressed()[0];
      } else {
        return innermost.toString().lines().findFirst().orElse("");
      }
    }
  }

  /**
   * Ends the JVM after main, because the threads of a product would keep the JVM of a failed round
   * alive.
   */
  private static void exitAfterMain() {
    Thread.currentThread()
        .setUncaughtExceptionHandler(
            (main, failure) -> {
              failure.printStackTrace();
              Runtime.getRuntime().halt(1);
            });
  }

  /**
   * Passes the parent's turns on, and ends this JVM with the parent, whose end of the pipe closes
   * however it ended. Nobody waits for a round whose parent is gone.
   */
  private static void watchParent(TurnGate gate) {
    Thread.ofPlatform()
        .daemon()
        .name("parent-watch")
        .start(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  gate.give();
                }
              } catch (IOException gone) {
                // A broken pipe means the same.
              }
              Runtime.getRuntime().halt(3);
            });
  }
}
