package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What happens to some of the messages of a {@link Stage} as they arrive.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
public final class Rule {
  private final Predicate<Letter> which;
  private final Fate fate;
  private final Runnable action;
  private final List<Runnable> held = new ArrayList<>();
  private int seen;
  private boolean ended;

  /** What becomes of a message. */
  enum Fate {
    /** It is lost. */
    DROPPED,
    /** It waits until the rule is released. */
    HELD,
    /** It is handed over twice. */
    DOUBLED,
    /** It is handed over. */
    PASSED
  }

  /**
   * @param action run for each of them, before it is handed over
   */
  Rule(Predicate<Letter> which, Fate fate, Runnable action) {
    this.which = which;
    this.fate = fate;
    this.action = action;
  }

  boolean concerns(Letter letter) {
    return !ended && which.test(letter);
  }

  /** Decides about a message. */
  Fate meet(Runnable delivery) {
    seen++;
    action.run();
    if (fate == Fate.HELD) {
      held.add(delivery);
    }
    return fate;
  }

  /** How many messages it was about so far. */
  public int seen() {
    return seen;
  }

  /** Ends it; what was held is lost. */
  public void end() {
    ended = true;
    held.clear();
  }

  /** Hands over what is held by now. */
  public void flush() {
    held.forEach(Runnable::run);
    held.clear();
  }

  /** Ends it and hands over what was held. */
  public void release() {
    ended = true;
    flush();
  }
}
