package io.cantle.bench;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Runs a round of this checkout and one of the baseline side by side. Both JVMs are up, and they
 * take turns of about a second, so that whatever else the machine does affects both. Which of them
 * goes first changes with every turn and every round.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param cantle this checkout
 * @param baseline the other
 */
record RoundPair(PeerRoundProcess cantle, PeerRoundProcess baseline) {

  /** What both measured. */
  record PairResult(PeerRoundResult cantle, PeerRoundResult baseline) {

    /** Returns whether both sides measured anything. */
    boolean isComparable() {
      return !cantle.scores().isEmpty() && !baseline.scores().isEmpty();
    }
  }

  /** Receives lines for the user. */
  @FunctionalInterface
  interface SideProgress {

    /** Returns the receiver of the lines of one side. */
    Consumer<String> of(PeerRoundProcess side);
  }

  /**
   * Runs one round and waits for its end.
   *
   * @param number of the round, which decides which side goes first
   */
  PairResult run(int number, SideProgress progress) throws IOException, InterruptedException {
    int limitSeconds = cantle.limitSeconds() + baseline.limitSeconds();
    try (var one = new RunningRound(cantle, PeerRound.PAIRED, limitSeconds, progress.of(cantle));
        var other =
            new RunningRound(baseline, PeerRound.PAIRED, limitSeconds, progress.of(baseline))) {
      alternate(one::takeTurn, other::takeTurn, number);
      return new PairResult(one.result(), other.result());
    }
  }

  /**
   * Gives turns to both until both have ended.
   *
   * @param one goes first in the first turn of odd rounds and then in every second turn
   * @param other goes first in the others
   */
  static void alternate(TurnTaker one, TurnTaker other, int number) throws InterruptedException {
    boolean oneRuns = true;
    boolean otherRuns = true;
    for (int turn = number; oneRuns || otherRuns; turn++) {
      if (turn % 2 == 1) {
        oneRuns = oneRuns && one.takeTurn();
        otherRuns = otherRuns && other.takeTurn();
      } else {
        otherRuns = otherRuns && other.takeTurn();
        oneRuns = oneRuns && one.takeTurn();
      }
    }
  }

  /** One of the two that take turns. */
  @FunctionalInterface
  interface TurnTaker {

    /** Takes a turn; returns false if there is none left to take. */
    boolean takeTurn() throws InterruptedException;
  }
}
