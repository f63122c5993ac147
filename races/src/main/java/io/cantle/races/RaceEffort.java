package io.cantle.races;

import java.time.Duration;
import java.util.List;

/**
 * How long races are run.
 *
 * <p><b>Threading:</b> immutable.
 */
enum RaceEffort {
  /** Some seconds; part of a build. */
  SMOKE(6, 200, Duration.ofMinutes(3)),
  /** About half an hour for each container. */
  LONG(100, 5_000, Duration.ofHours(3));

  /** How many scenarios Lincheck makes up. */
  final int scenarios;

  /** In how many ways Lincheck interleaves a scenario at most. */
  final int interleavings;

  /** How long a tool may take. */
  final Duration limit;

  RaceEffort(int scenarios, int interleavings, Duration limit) {
    this.scenarios = scenarios;
    this.interleavings = interleavings;
    this.limit = limit;
  }

  /**
   * How many processes jcstress starts for a test, how often each runs it, and how long in ms. It
   * starts five times as many more, in which the compiler makes random choices.
   */
  List<String> stressArguments() {
    return switch (this) {
      case SMOKE -> List.of("-f", "1", "-iters", "2", "-time", "200");
      case LONG -> List.of("-f", "1", "-iters", "10", "-time", "5000");
    };
  }
}
