package io.cantle.simulation;

import java.util.SplittableRandom;

/**
 * How the network behaves in one seed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param usualNanos most messages take up to this long, at least {@link #SHORTEST_NANOS}
 * @param slowProbability how likely a message takes up to {@link #SLOW_NANOS} instead
 * @param lossProbability how likely a message is lost and sent again after a while, each time it is
 *     sent
 * @param slowLinkProbability how likely the way from one node to another takes longer by up to
 *     {@link #SLOW_LINK_NANOS}, always
 */
record Weather(
    long usualNanos, double slowProbability, double lossProbability, double slowLinkProbability) {
  static final long MILLISECOND = 1_000_000;
  static final long SHORTEST_NANOS = MILLISECOND / 10;
  static final long SLOW_NANOS = 200 * MILLISECOND;
  static final long SLOW_LINK_NANOS = 100 * MILLISECOND;

  /** From a quiet network to a bad one. */
  static Weather draw(SplittableRandom random) {
    double slowLinks = random.nextInt(3) == 0 ? random.nextDouble(0.4) : 0;
    return switch (random.nextInt(5)) {
      case 0 -> new Weather(MILLISECOND, 0.001, 0.001, slowLinks);
      case 1 -> new Weather(5 * MILLISECOND, 0.002, 0.005, slowLinks);
      case 2 -> new Weather(5 * MILLISECOND, 0.02, 0.02, slowLinks);
      case 3 -> new Weather(2 * MILLISECOND, 0.3, 0.01, slowLinks);
      default -> new Weather(3 * MILLISECOND, 0.05, 0.002, slowLinks);
    };
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

  /** Whether a message is lost this time. */
  boolean loses(SplittableRandom random) {
    return random.nextDouble() < lossProbability;
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
    return random.nextLong(100 * MILLISECOND, 3_000 * MILLISECOND);
  }
}
