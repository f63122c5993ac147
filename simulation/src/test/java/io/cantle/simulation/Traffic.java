package io.cantle.simulation;

import io.cantle.core.transport.Kind;
import io.cantle.simulation.Rule.Fate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a script does to the messages of a {@link Stage}.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Traffic {
  private final EventLog log;
  private final List<Rule> rules = new ArrayList<>();
  private final Map<Kind, Long> sent = new EnumMap<>(Kind.class);

  Traffic(EventLog log) {
    this.log = log;
  }

  /** From now on. */
  Rule rule(Rule rule) {
    rules.add(rule);
    return rule;
  }

  /** Ends every rule. */
  void release() {
    rules.forEach(Rule::release);
  }

  /** A message has arrived; the first rule that takes it away decides. */
  void arrived(Letter letter, Runnable receive) {
    Host host = letter.to().host();
    Runnable again = () -> host.start(SimulatedThread.Role.RECEIVE, receive);
    Fate fate = Fate.PASSED;
    for (Rule rule : List.copyOf(rules)) {
      if ((fate == Fate.PASSED || fate == Fate.DOUBLED) && rule.concerns(letter)) {
        fate = rule.meet(again);
      }
    }
    if (!host.alive() || fate == Fate.DROPPED || fate == Fate.HELD) {
      log.print("rule", host, "took " + letter);
      return;
    }
    if (fate == Fate.DOUBLED) {
      again.run();
    }
    receive.run();
  }

  /** A message is sent. */
  void sent(Kind kind) {
    sent.merge(kind, 1L, Long::sum);
  }

  /** How many messages of some kinds were sent so far. */
  long sent(Kind... kinds) {
    long total = 0;
    for (Kind kind : kinds) {
      total += sent.getOrDefault(kind, 0L);
    }
    return total;
  }
}
