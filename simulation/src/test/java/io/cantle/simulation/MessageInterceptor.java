package io.cantle.simulation;

import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule.MessageFate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a script does to the messages of a {@link ScriptedStage}.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class MessageInterceptor {
  private final EventLog log;
  private final List<MessageRule> rules = new ArrayList<>();
  private final Map<MessageKind, Long> sent = new EnumMap<>(MessageKind.class);

  MessageInterceptor(EventLog log) {
    this.log = log;
  }

  /** From now on. */
  MessageRule addRule(MessageRule rule) {
    rules.add(rule);
    return rule;
  }

  /** Ends every rule. */
  void endAllRules() {
    rules.forEach(MessageRule::release);
  }

  /** A message has arrived; the first rule that takes it away decides. */
  void onArrival(StageMessage letter, Runnable receive) {
    SimulatedHost host = letter.to().host();
    Runnable again = () -> host.start(SimulatedThread.Role.RECEIVE, receive);
    MessageFate fate = MessageFate.PASSED;
    for (MessageRule rule : List.copyOf(rules)) {
      if ((fate == MessageFate.PASSED || fate == MessageFate.DOUBLED) && rule.matches(letter)) {
        fate = rule.decide(again);
      }
    }
    if (!host.isAlive() || fate == MessageFate.DROPPED || fate == MessageFate.HELD) {
      log.print("rule", host, "took " + letter);
      return;
    }
    if (fate == MessageFate.DOUBLED) {
      again.run();
    }
    receive.run();
  }

  /** A message is sent. */
  void recordSent(MessageKind kind) {
    sent.merge(kind, 1L, Long::sum);
  }

  /** How many messages of some kinds were sent so far. */
  long sentCount(MessageKind... kinds) {
    long total = 0;
    for (MessageKind kind : kinds) {
      total += sent.getOrDefault(kind, 0L);
    }
    return total;
  }
}
