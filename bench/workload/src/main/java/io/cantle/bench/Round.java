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
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * One round of one product: the main class of the JVM that holds its whole cluster. Takes the
 * folder for its files, the {@link Pace}, and {@link Measure} labels. Lines for the user go to
 * standard output; whatever the product prints goes to standard error, which the parent keeps in a
 * file.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
final class Round {

  /** Where the {@link RoundResult} is written in the folder. */
  static final String RESULT_FILE = "result.properties";

  private final Path folder;
  private final Pace pace;
  private final PrintStream console;

  private Round(Path folder, Pace pace, PrintStream console) {
    this.folder = folder;
    this.pace = pace;
    this.console = console;
  }

  public static void main(String[] args) throws IOException {
    PrintStream console = System.out;
    System.setOut(System.err);
    endWithParent();
    endWithMain();
    Path folder = Path.of(args[0]);
    Pace pace = Pace.valueOf(args[1]);
    List<Measure> measures = Arrays.stream(args).skip(2).map(Measure::parse).toList();
    new Round(folder, pace, console).run(measures).write(folder.resolve(RESULT_FILE));
    // Six nodes that leave in good order would move every entry several times, for nobody.
    Runtime.getRuntime().halt(0);
  }

  private RoundResult run(List<Measure> measures) {
    console.println("starting " + Cluster.NODES + " nodes");
    Map<Measure, Double> scores = new TreeMap<>();
    List<String> failures = new ArrayList<>();
    long begin = System.nanoTime();
    Cluster cluster;
    try {
      cluster = Cluster.start();
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      return RoundResult.failed("start and load: " + reason(failure));
    }
    console.printf(
        Locale.ROOT,
        "%d nodes up, %,d entries loaded in %.1f s%n",
        Cluster.NODES,
        Cluster.ENTRIES,
        Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1e3);
    for (Measure measure : measures) {
      try {
        double score = measure(measure);
        scores.put(measure, score);
        console.printf(Locale.ROOT, "%s: %s ops/s%n", measure, Table.figure(score));
      } catch (RunnerException failure) {
        failure.printStackTrace();
        failures.add(measure + ": " + reason(failure));
      }
    }
    checkAfterwards(failures);
    return new RoundResult(cluster.driver().version(), scores, failures);
  }

  /** All writes done, everything must still be there. */
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

  private double measure(Measure measure) throws RunnerException {
    // This JVM is the fork already: started for this product and round alone.
    Options options =
        new OptionsBuilder()
            .include(PeerBenchmark.class.getName() + "\\." + measure.workload().label() + "$")
            .forks(0)
            .threads(measure.threads())
            .warmupIterations(1)
            .warmupTime(TimeValue.seconds(pace.warmUpSeconds(measure)))
            .measurementIterations(pace.iterations())
            .measurementTime(TimeValue.seconds(pace.iterationSeconds()))
            .timeout(TimeValue.seconds(60))
            .shouldFailOnError(true)
            .output(folder.resolve("jmh-" + measure.label() + ".txt").toString())
            .build();
    Collection<RunResult> results = new Runner(options).run();
    return results.iterator().next().getPrimaryResult().getScore();
  }

  /**
   * The innermost cause: JMH wraps what a workload threw, and keeps it as a suppressed exception.
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

  /** The threads of a product would keep the JVM of a failed round alive. */
  private static void endWithMain() {
    Thread.currentThread()
        .setUncaughtExceptionHandler(
            (main, failure) -> {
              failure.printStackTrace();
              Runtime.getRuntime().halt(1);
            });
  }

  /**
   * Nobody waits for a round whose parent is gone: its end of the pipe closes, however it ended.
   */
  private static void endWithParent() {
    Thread.ofPlatform()
        .daemon()
        .name("parent-watch")
        .start(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  // The parent writes nothing; only the end matters.
                }
              } catch (IOException gone) {
                // A broken pipe says the same.
              }
              Runtime.getRuntime().halt(3);
            });
  }
}
