package io.cantle.chaos;

import io.cantle.chaos.History.Call;
import io.cantle.chaos.History.Pause;
import io.cantle.chaos.History.Walk;
import io.cantle.simulation.KeyHistory;
import io.cantle.simulation.KeyHistory.Answer;
import io.cantle.simulation.KeyHistory.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What a history shows: figures, and what it violates.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Findings {
  private static final long MAX_STEPS = 3_000_000;
  private static final int MOST_SHOWN_OF_A_KIND = 5;
  private static final int MOST_LINES = 30;

  /** The timeout of a call, and what a busy machine may add. */
  private static final Duration LONGEST_CALL = Duration.ofSeconds(15 + 10);

  /** A read so soon after a pause is one that could be stale. */
  private static final long AFTER_PAUSE_NANOS = 2_000_000_000L;

  private final List<String> violations = new ArrayList<>();
  private final Map<String, Integer> shown = new HashMap<>();
  private final Map<String, Long> figures = new LinkedHashMap<>();
  private long violationCount;

  private Findings() {}

  /** Checks everything. */
  static Findings of(History history) {
    Findings findings = new Findings();
    findings.count(history);
    findings.brokenAndOverdue(history);
    findings.registers(history);
    findings.counters(history);
    findings.iterations(history);
    return findings;
  }

  /** Every figure under its name. */
  Map<String, Long> figures() {
    return figures;
  }

  /** What is violated, the first of it, each with an explanation of several lines. */
  List<String> violations() {
    return violations;
  }

  long violationCount() {
    return violationCount;
  }

  /** Notes a violation, of which the first of each kind are told in full. */
  private void violation(String kind, String text) {
    violationCount++;
    if (shown.merge(kind, 1, Integer::sum) <= MOST_SHOWN_OF_A_KIND) {
      violations.add(String.join("\n  ", shortened(text.lines().toList())));
    }
  }

  /** The first line and the last ones, which is where the trouble is. */
  private static List<String> shortened(List<String> lines) {
    if (lines.size() <= MOST_LINES) {
      return lines;
    }
    List<String> kept = new ArrayList<>();
    kept.add(lines.getFirst());
    kept.add("...");
    kept.addAll(lines.subList(lines.size() - MOST_LINES, lines.size()));
    return kept;
  }

  private void count(History history) {
    figures.put("operations", (long) history.calls().size() + history.iterations().size());
    figures.put("iterations", (long) history.iterations().size());
    figures.put("refused", ends(history, End.FAILED));
    figures.put("inDoubt", ends(history, End.OPEN));
    figures.put("readsAfterPauses", readsAfterPauses(history));
  }

  private static long ends(History history, End end) {
    return history.calls().stream().filter(call -> call.end() == end).count();
  }

  private static long readsAfterPauses(History history) {
    return history.calls().stream()
        .filter(call -> !call.kind().writes() && call.end() == End.RETURNED)
        .filter(
            call ->
                history.pauses().stream()
                    .anyMatch(
                        pause ->
                            pause.holds(call.client())
                                && call.returnedNanos() > pause.untilNanos()
                                && call.invokedNanos() < pause.untilNanos() + AFTER_PAUSE_NANOS))
        .count();
  }

  private void brokenAndOverdue(History history) {
    long broken = 0;
    long overdue = 0;
    for (Call call : history.calls()) {
      if (!call.broken().isEmpty()) {
        broken++;
        violation("broken", "threw what it must not: " + call + ": " + call.broken());
      }
      // A putAll has its time again with each progress, and a killed caller is told nothing.
      if (call.returnedNanos() != Call.NEVER && call.end() != End.DONE) {
        long millis = TimeUnit.NANOSECONDS.toMillis(awakeNanos(call, history.pauses()));
        if (millis > LONGEST_CALL.toMillis()) {
          overdue++;
          violation("overdue", "took " + millis + " ms: " + call);
        }
      }
    }
    figures.put("broken", broken);
    figures.put("overdue", overdue);
  }

  /** How long a call took, without the time its own process stood still. */
  private static long awakeNanos(Call call, List<Pause> pauses) {
    long nanos = call.returnedNanos() - call.invokedNanos();
    for (Pause pause : pauses) {
      if (pause.holds(call.client())) {
        long from = Math.max(pause.fromNanos(), call.invokedNanos());
        long until = Math.min(pause.untilNanos(), call.returnedNanos());
        nanos -= Math.max(0, until - from);
      }
    }
    return nanos;
  }

  private void registers(History history) {
    Map<String, KeyHistory> registers = new TreeMap<>();
    for (Call call : history.calls()) {
      if (call.kind().onRegister()) {
        registers
            .computeIfAbsent(call.key(), _ -> new KeyHistory())
            .add(
                call.client(),
                call.kind().name(),
                call.expected(),
                call.value(),
                call.invokedNanos(),
                call.returnedNanos(),
                call.end(),
                call.result());
      }
    }
    long[] undecided = {0};
    long[] violated = {0};
    registers.forEach(
        (key, register) -> {
          Answer answer = register.answer(MAX_STEPS);
          if (answer == Answer.VIOLATED) {
            violated[0]++;
            violation(
                "register",
                key + " is not linearizable: " + register.explanation(MAX_STEPS).orElse(""));
          } else if (answer == Answer.UNDECIDED) {
            undecided[0]++;
          }
        });
    figures.put("registers", (long) registers.size());
    figures.put("registersNotLinearizable", violated[0]);
    figures.put("registersUndecided", undecided[0]);
  }

  private void counters(History history) {
    Map<String, List<Call>> counters = new TreeMap<>();
    for (Call call : history.calls()) {
      if (call.kind() == CallKind.ADD || call.kind() == CallKind.READ) {
        counters.computeIfAbsent(call.key(), _ -> new ArrayList<>()).add(call);
      }
    }
    long violated = 0;
    for (Map.Entry<String, List<Call>> counter : counters.entrySet()) {
      List<String> wrong = CounterCheck.violations(counter.getValue());
      if (!wrong.isEmpty()) {
        violated++;
        violation("counter", counter.getKey() + ": " + String.join("\n", wrong));
      }
    }
    figures.put("countersWrong", violated);
  }

  private void iterations(History history) {
    long violated = 0;
    for (Walk walk : history.iterations()) {
      if (!walk.missing().isEmpty() || !walk.twice().isEmpty()) {
        violated++;
        violation(
            "iteration",
            "iteration of "
                + walk.client()
                + " delivered "
                + walk.delivered()
                + ", missing: "
                + walk.missing()
                + ", twice: "
                + walk.twice());
      }
    }
    figures.put("iterationsWrong", violated);
  }
}
