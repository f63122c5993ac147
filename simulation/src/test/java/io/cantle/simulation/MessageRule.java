package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A rule for some of the messages of a {@link ScriptedStage} as they arrive.
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

  /** What happens to a message. */
  enum MessageFate {
    /** It is lost. */
    DROPPED,
    /** It is held until the rule is released. */
    HELD,
    /** It is delivered twice. */
    DOUBLED,
    /** It is delivered. */
    PASSED
  }

  /**
   * @param action runs for each of them before it is delivered
   */
  MessageRule(Predicate<StageMessage> filter, MessageFate fate, Runnable action) {
    this.filter = filter;
    this.fate = fate;
    this.action = action;
  }

  boolean matches(StageMessage letter) {
    return !ended && filter.test(letter);
  }

  /** Decides what happens to a message. */
  MessageFate decide(Runnable delivery) {
    seen++;
    action.run();
    if (fate == MessageFate.HELD) {
      held.add(delivery);
    }
    return fate;
  }

  /** Returns how many messages the rule has applied to so far. */
  public int seenCount() {
    return seen;
  }

  /** Ends the rule; held messages are lost. */
  public void end() {
    ended = true;
    held.clear();
  }

  /** Delivers the messages held so far. */
  public void deliverHeld() {
    held.forEach(Runnable::run);
    held.clear();
  }

  /** Ends the rule and delivers the held messages. */
  public void release() {
    ended = true;
    deliverHeld();
  }
}
