package io.cantle.simulation;

import java.util.Set;
import java.util.SplittableRandom;

/**
 * How the network treats messages in one seed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param usualNanos most messages take up to this long, at least {@link #MIN_DELAY_NANOS}
 * @param slowProbability how likely a message takes up to {@link #SLOW_NANOS} instead
 * @param resendProbability how likely a message is lost and sent again after a while, each time it
 *     is sent
 * @param lossProbability how likely a message is lost for good
 * @param duplicateProbability how likely a message arrives once more
 * @param slowLinkProbability how likely the link from one node to another is always slower by up to
 *     {@link #SLOW_LINK_NANOS}
 * @param maxDetectionNanos how long it takes at most until the others detect that a member was
 *     killed
 * @param exact whether everything takes exactly as long as it usually does, and nothing that is
 *     lost arrives later
 */
record NetworkConditions(
    long usualNanos,
    double slowProbability,
    double resendProbability,
    double lossProbability,
    double duplicateProbability,
    double slowLinkProbability,
    long maxDetectionNanos,
    boolean exact) {
  static final long MILLISECOND_NANOS = 1_000_000;
  static final long MIN_DELAY_NANOS = MILLISECOND_NANOS / 10;
  static final long SLOW_NANOS = 200 * MILLISECOND_NANOS;
  static final long SLOW_LINK_NANOS = 100 * MILLISECOND_NANOS;

  private static final long MIN_DETECTION_NANOS = 100 * MILLISECOND_NANOS;

  /** A higher loss would look like silence now and then, which is what cuts are for. */
  private static final double MAX_LOSS_PROBABILITY = 0.05;

  private static final double MAX_DUPLICATE_PROBABILITY = 0.1;

  /** Creates conditions in which a crash is detected within three seconds. */
  NetworkConditions(
      long usualNanos,
      double slowProbability,
      double resendProbability,
      double lossProbability,
      double duplicateProbability,
      double slowLinkProbability) {
    this(
        usualNanos,
        slowProbability,
        resendProbability,
        lossProbability,
        duplicateProbability,
        slowLinkProbability,
        3_000 * MILLISECOND_NANOS,
        false);
  }

  /** The conditions in which nothing goes wrong. */
  static final NetworkConditions FAIR = new NetworkConditions(2 * MILLISECOND_NANOS, 0, 0, 0, 0, 0);

  /** The conditions in which nothing is left to chance: each message takes a millisecond. */
  static final NetworkConditions EXACT =
      new NetworkConditions(MILLISECOND_NANOS, 0, 0, 0, 0, 0, 2 * MIN_DETECTION_NANOS, true);

  /** Draws conditions, from a quiet network to a bad one. */
  static NetworkConditions drawConditions(SplittableRandom random, Set<SimulatedFault> mix) {
    double slowLinks = random.nextInt(3) == 0 ? random.nextDouble(0.4) : 0;
    // Squared, so that many seeds lose little and some lose much.
    double loss = Math.pow(random.nextDouble(), 2) * MAX_LOSS_PROBABILITY;
    double duplicates = Math.pow(random.nextDouble(), 2) * MAX_DUPLICATE_PROBABILITY;
    NetworkConditions bare =
        switch (random.nextInt(5)) {
          case 0 -> new NetworkConditions(MILLISECOND_NANOS, 0.001, 0.001, 0, 0, slowLinks);
          case 1 -> new NetworkConditions(5 * MILLISECOND_NANOS, 0.002, 0.005, 0, 0, slowLinks);
          case 2 -> new NetworkConditions(5 * MILLISECOND_NANOS, 0.02, 0.02, 0, 0, slowLinks);
          case 3 -> new NetworkConditions(2 * MILLISECOND_NANOS, 0.3, 0.01, 0, 0, slowLinks);
          default -> new NetworkConditions(3 * MILLISECOND_NANOS, 0.05, 0.002, 0, 0, slowLinks);
        };
    return bare.withLoss(
        mix.contains(SimulatedFault.LOSS) ? loss : 0,
        mix.contains(SimulatedFault.DUPLICATION) ? duplicates : 0);
  }

  /** Returns the same conditions with another time to detect a crash. */
  NetworkConditions withMaxDetection(long withinNanos) {
    return new NetworkConditions(
        usualNanos,
        slowProbability,
        resendProbability,
        lossProbability,
        duplicateProbability,
        slowLinkProbability,
        withinNanos,
        exact);
  }

  /** Returns the same conditions with other probabilities of loss and duplication. */
  NetworkConditions withLoss(double loss, double duplicates) {
    return new NetworkConditions(
        usualNanos,
        slowProbability,
        resendProbability,
        loss,
        duplicates,
        slowLinkProbability,
        maxDetectionNanos,
        exact);
  }

  /** Draws how much longer than usual the link from one node to another takes. */
  long drawLinkNanos(SplittableRandom random) {
    return random.nextDouble() < slowLinkProbability ? random.nextLong(SLOW_LINK_NANOS) : 0;
  }

  /** Draws how long a message takes that is not lost. */
  long drawDelayNanos(SplittableRandom random) {
    if (exact) {
      return usualNanos;
    }
    long longest = random.nextDouble() < slowProbability ? SLOW_NANOS : usualNanos;
    return random.nextLong(MIN_DELAY_NANOS, longest + 1);
  }

  /** Draws whether a message must be sent again this time. */
  boolean drawResend(SplittableRandom random) {
    return random.nextDouble() < resendProbability;
  }

  /** Draws whether a message never arrives. */
  boolean drawLoss(SplittableRandom random) {
    return lossProbability > 0 && random.nextDouble() < lossProbability;
  }

  /** Draws whether a message arrives once more. */
  boolean drawDuplicate(SplittableRandom random) {
    return duplicateProbability > 0 && random.nextDouble() < duplicateProbability;
  }

  /** Draws how long it takes until a lost message is sent again. */
  long drawResendNanos(SplittableRandom random) {
    return random.nextLong(20 * MILLISECOND_NANOS, 300 * MILLISECOND_NANOS);
  }

  /** Draws how long a member takes to learn of a new view. */
  long drawViewNanos(SplittableRandom random) {
    return exact
        ? usualNanos
        : random.nextLong((random.nextInt(8) == 0 ? 200 : 20) * MILLISECOND_NANOS);
  }

  /** Draws how long it takes until the others detect that a member was killed. */
  long drawDetectionNanos(SplittableRandom random) {
    return exact ? maxDetectionNanos : random.nextLong(MIN_DETECTION_NANOS, maxDetectionNanos);
  }

  /**
   * Draws how long it takes until a member reports in its view that it no longer hears another, or
   * hears it again.
   */
  long drawNoticeNanos(SplittableRandom random) {
    return random.nextLong(1_000 * MILLISECOND_NANOS, 5_000 * MILLISECOND_NANOS);
  }
}
