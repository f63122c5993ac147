package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What happens to some of the messages of a {@link ScriptedStage} as they arrive.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
public final class MessageRule {
  private final Predicate<StageMessage> filter;
  private final MessageFate fate;
  private final Runnable action;
  private final List<Runnable> held = new ArrayList<>();
  private int seen;
  private boolean ended;

  /** What becomes of a message. */
  enum MessageFate {
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
  MessageRule(Predicate<StageMessage> filter, MessageFate fate, Runnable action) {
    this.filter = filter;
    this.fate = fate;
    this.action = action;
  }

  boolean matches(StageMessage letter) {
    return !ended && filter.test(letter);
  }

  /** Decides about a message. */
  MessageFate decide(Runnable delivery) {
    seen++;
    action.run();
    if (fate == MessageFate.HELD) {
      held.add(delivery);
    }
    return fate;
  }

  /** How many messages it was about so far. */
  public int seenCount() {
    return seen;
  }

  /** Ends it; what was held is lost. */
  public void end() {
    ended = true;
    held.clear();
  }

  /** Hands over what is held by now. */
  public void deliverHeld() {
    held.forEach(Runnable::run);
    held.clear();
  }

  /** Ends it and hands over what was held. */
  public void release() {
    ended = true;
    deliverHeld();
  }
}
