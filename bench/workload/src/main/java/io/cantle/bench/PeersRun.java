package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of {@code bench peers} and their results.
 *
 * <p><b>Threading:</b> one thread.
 */
final class PeersRun {
  private final @Nullable RoundPair pair;
  private final List<PeerRoundProcess> others;
  private final int rounds;
  private final PrintWriter out;
  private final PrintWriter err;
  private final PeerResults results = new PeerResults();
  private final BaselineComparison comparison = new BaselineComparison();

  /**
   * Creates a run that has measured nothing yet.
   *
   * @param pair this checkout and the baseline, null where there is no baseline
   * @param others the products that take turns by whole rounds
   * @param rounds how many
   * @param out for progress
   * @param err for failures
   */
  PeersRun(
      @Nullable RoundPair pair,
      List<PeerRoundProcess> others,
      int rounds,
      PrintWriter out,
      PrintWriter err) {
    this.pair = pair;
    this.others = List.copyOf(others);
    this.rounds = rounds;
    this.out = out;
    this.err = err;
  }

  /** Measures all rounds, or as many as it takes to see that the two sides cannot be compared. */
  void measure() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    for (int round = 1; round <= rounds; round++) {
      if (pair != null && !comparePair(pair, round)) {
        return;
      }
      for (PeerRoundProcess product : others) {
        add(product, round, product.run(progress(product, round)));
      }
      sayTimeLeft(round, Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  /** Returns the figures of all products. */
  PeerResults results() {
    return results;
  }

  /**
   * Returns the figures of this checkout beside the baseline's; empty where there is no baseline.
   */
  BaselineComparison comparison() {
    return comparison;
  }

  private boolean comparePair(RoundPair sides, int round) throws IOException, InterruptedException {
    RoundPair.PairResult result = sides.run(round, side -> progress(side, round));
    add(sides.cantle(), round, result.cantle());
    add(sides.baseline(), round, result.baseline());
    comparison.add(result.cantle(), result.baseline());
    if (result.isComparable()) {
      return true;
    }
    err.println(
        "cantle bench: round "
            + round
            + " of "
            + rounds
            + ": one side measured nothing, so more rounds compare nothing");
    return false;
  }

  private void add(PeerRoundProcess product, int round, PeerRoundResult result) {
    String title = title(product, round);
    result.failures().forEach(failure -> err.println("cantle bench: " + title + failure));
    results.add(product.product(), result);
  }

  private Consumer<String> progress(PeerRoundProcess product, int round) {
    String title = title(product, round);
    return line -> out.println(title + line);
  }

  private String title(PeerRoundProcess product, int round) {
    return String.format(Locale.ROOT, "round %d of %d, %s: ", round, rounds, product.label());
  }

  private void sayTimeLeft(int round, Duration elapsed) {
    if (round < rounds) {
      out.printf(
          Locale.ROOT,
          "round %d of %d is done; about %d min left%n",
          round,
          rounds,
          minutes(elapsed.multipliedBy(rounds - round).dividedBy(round)));
    }
  }

  /** Returns a duration in minutes for people, at least one. */
  static long minutes(Duration duration) {
    return Math.max(1, Math.round(duration.toSeconds() / 60.0));
  }
}
