package io.cantle.simulation;

import java.util.Set;
import java.util.SplittableRandom;

/**
 * How the network treats messages in one seed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param usualNanos most messages take up to this long, at least {@link #SHORTEST_NANOS}
 * @param slowProbability how likely a message takes up to {@link #SLOW_NANOS} instead
 * @param resendProbability how likely a message is lost and sent again after a while, each time it
 *     is sent
 * @param lossProbability how likely a message is lost for good
 * @param duplicateProbability how likely a message arrives once more
 * @param slowLinkProbability how likely the way from one node to another takes longer by up to
 *     {@link #SLOW_LINK_NANOS}, always
 * @param longestDetectionNanos how long it takes at most until a member that was killed is seen to
 *     be gone
 */
record Weather(
    long usualNanos,
    double slowProbability,
    double resendProbability,
    double lossProbability,
    double duplicateProbability,
    double slowLinkProbability,
    long longestDetectionNanos) {
  static final long MILLISECOND = 1_000_000;
  static final long SHORTEST_NANOS = MILLISECOND / 10;
  static final long SLOW_NANOS = 200 * MILLISECOND;
  static final long SLOW_LINK_NANOS = 100 * MILLISECOND;

  private static final long SHORTEST_DETECTION_NANOS = 100 * MILLISECOND;

  /** More would look like silence now and then, which is what cuts are for. */
  private static final double MOST_LOSS = 0.05;

  private static final double MOST_DUPLICATES = 0.1;

  /** One in which a death is seen within three seconds. */
  Weather(
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
        3_000 * MILLISECOND);
  }

  /** Nothing goes wrong. */
  static final Weather FAIR = new Weather(2 * MILLISECOND, 0, 0, 0, 0, 0);

  /** From a quiet network to a bad one. */
  static Weather draw(SplittableRandom random, Set<Fault> mix) {
    double slowLinks = random.nextInt(3) == 0 ? random.nextDouble(0.4) : 0;
    // Squared: many seeds lose little, some lose much.
    double loss = Math.pow(random.nextDouble(), 2) * MOST_LOSS;
    double duplicates = Math.pow(random.nextDouble(), 2) * MOST_DUPLICATES;
    Weather bare =
        switch (random.nextInt(5)) {
          case 0 -> new Weather(MILLISECOND, 0.001, 0.001, 0, 0, slowLinks);
          case 1 -> new Weather(5 * MILLISECOND, 0.002, 0.005, 0, 0, slowLinks);
          case 2 -> new Weather(5 * MILLISECOND, 0.02, 0.02, 0, 0, slowLinks);
          case 3 -> new Weather(2 * MILLISECOND, 0.3, 0.01, 0, 0, slowLinks);
          default -> new Weather(3 * MILLISECOND, 0.05, 0.002, 0, 0, slowLinks);
        };
    return bare.losing(
        mix.contains(Fault.LOSS) ? loss : 0, mix.contains(Fault.DUPLICATION) ? duplicates : 0);
  }

  /** The same where deaths are seen within another time. */
  Weather detecting(long withinNanos) {
    return new Weather(
        usualNanos,
        slowProbability,
        resendProbability,
        lossProbability,
        duplicateProbability,
        slowLinkProbability,
        withinNanos);
  }

  /** The same with other losses and duplicates. */
  Weather losing(double loss, double duplicates) {
    return new Weather(
        usualNanos,
        slowProbability,
        resendProbability,
        loss,
        duplicates,
        slowLinkProbability,
        longestDetectionNanos);
  }

  /** How much longer than usual the way from one node to another takes. */
  long linkNanos(SplittableRandom random) {
    return random.nextDouble() < slowLinkProbability ? random.nextLong(SLOW_LINK_NANOS) : 0;
  }

  /** How long a message that is not lost takes. */
  long delayNanos(SplittableRandom random) {
    long longest = random.nextDouble() < slowProbability ? SLOW_NANOS : usualNanos;
    return random.nextLong(SHORTEST_NANOS, longest + 1);
  }

  /** Whether a message must be sent again this time. */
  boolean resends(SplittableRandom random) {
    return random.nextDouble() < resendProbability;
  }

  /** Whether a message never arrives. */
  boolean loses(SplittableRandom random) {
    return lossProbability > 0 && random.nextDouble() < lossProbability;
  }

  /** Whether a message arrives once more. */
  boolean duplicates(SplittableRandom random) {
    return duplicateProbability > 0 && random.nextDouble() < duplicateProbability;
  }

  /** How long until a lost message is sent again. */
  long resendNanos(SplittableRandom random) {
    return random.nextLong(20 * MILLISECOND, 300 * MILLISECOND);
  }

  /** How long a member takes to hear of a new view. */
  long viewNanos(SplittableRandom random) {
    return random.nextLong((random.nextInt(8) == 0 ? 200 : 20) * MILLISECOND);
  }

  /** How long until the others notice that a member was killed. */
  long detectionNanos(SplittableRandom random) {
    return random.nextLong(SHORTEST_DETECTION_NANOS, longestDetectionNanos);
  }

  /** How long until a member that hears another no more, or again, says so in its view. */
  long noticeNanos(SplittableRandom random) {
    return random.nextLong(1_000 * MILLISECOND, 5_000 * MILLISECOND);
  }
}
