package io.cantle.simulation;

import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageObserver.MessageEvent;
import io.cantle.simulation.MessageRule.MessageFate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The rules by which a script interferes with the messages of a {@link ScriptedStage}.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class MessageInterceptor {
  private final EventLog log;
  private final MessageObserver observer;
  private final List<MessageRule> rules = new ArrayList<>();
  private final Map<MessageKind, Long> sent = new EnumMap<>(MessageKind.class);

  MessageInterceptor(EventLog log, MessageObserver observer) {
    this.log = log;
    this.observer = observer;
  }

  /** Applies a rule from now on. */
  MessageRule addRule(MessageRule rule) {
    rules.add(rule);
    return rule;
  }

  /** Ends every rule. */
  void endAllRules() {
    rules.forEach(MessageRule::release);
    rules.clear();
  }

  /** Handles a message that has arrived. The first rule that does not pass it decides. */
  void onArrival(StageMessage letter, Runnable receive) {
    SimulatedHost host = letter.to().host();
    Runnable again =
        () -> {
          observer.onMessage(letter, MessageEvent.RELEASED);
          host.start(SimulatedThread.Role.RECEIVE, receive);
        };
    MessageFate fate = MessageFate.PASSED;
    for (MessageRule rule : List.copyOf(rules)) {
      if ((fate == MessageFate.PASSED || fate == MessageFate.DOUBLED) && rule.matches(letter)) {
        fate = rule.decide(again);
      }
    }
    observer.onMessage(
        letter,
        switch (fate) {
          case DROPPED -> MessageEvent.DROPPED;
          case HELD -> MessageEvent.HELD;
          case PASSED, DOUBLED -> MessageEvent.ARRIVED;
        });
    if (!host.isAlive() || fate == MessageFate.DROPPED || fate == MessageFate.HELD) {
      log.print("rule", host, "took " + letter);
      return;
    }
    if (fate == MessageFate.DOUBLED) {
      again.run();
    }
    receive.run();
  }

  /** Tells the observer of a message that will not arrive. */
  void onLost(StageMessage letter) {
    observer.onMessage(letter, MessageEvent.LOST);
  }

  /** Counts a message that is sent. */
  void recordSent(MessageKind kind) {
    sent.merge(kind, 1L, Long::sum);
  }

  /** Returns how many messages of some kinds were sent so far. */
  long sentCount(MessageKind... kinds) {
    long total = 0;
    for (MessageKind kind : kinds) {
      total += sent.getOrDefault(kind, 0L);
    }
    return total;
  }
}
