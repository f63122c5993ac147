package io.cantle.chaos;

import io.cantle.chaos.ChaosHistory.HistoryCall;
import io.cantle.chaos.ChaosHistory.IterationRecord;
import io.cantle.chaos.ChaosHistory.ProcessPause;
import io.cantle.simulation.RecordedKeyHistory;
import io.cantle.simulation.RecordedKeyHistory.CallEnd;
import io.cantle.simulation.RecordedKeyHistory.CheckResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The findings in a history: figures, and violations.
 *
 * <p><b>Threading:</b> one thread.
 */
final class HistoryFindings {
  private static final long MAX_STEPS = 3_000_000;
  private static final int MAX_SHOWN_PER_KIND = 5;
  private static final int MAX_LINES = 30;

  /** The timeout of a call, and what a busy machine may add. */
  private static final Duration MAX_CALL_DURATION = Duration.ofSeconds(15 + 10);

  /** A read this soon after a pause is one that could be stale. */
  private static final long AFTER_PAUSE_NANOS = 2_000_000_000L;

  private final List<String> violations = new ArrayList<>();
  private final Map<String, Integer> shown = new HashMap<>();
  private final Map<String, Long> figures = new LinkedHashMap<>();
  private long violationCount;

  private HistoryFindings() {}

  /** Checks everything. */
  static HistoryFindings check(ChaosHistory history) {
    HistoryFindings findings = new HistoryFindings();
    findings.countCalls(history);
    findings.checkBrokenAndOverdue(history);
    findings.checkRegisters(history);
    findings.checkCounters(history);
    findings.checkIterations(history);
    return findings;
  }

  /** Returns every figure under its name. */
  Map<String, Long> figures() {
    return figures;
  }

  /** Returns the first violations, each with an explanation of several lines. */
  List<String> violations() {
    return violations;
  }

  long violationCount() {
    return violationCount;
  }

  /** Adds a violation; the first of each kind are reported in full. */
  private void addViolation(String kind, String text) {
    violationCount++;
    if (shown.merge(kind, 1, Integer::sum) <= MAX_SHOWN_PER_KIND) {
      violations.add(String.join("\n  ", shorten(text.lines().toList())));
    }
  }

  /** Keeps the first line and the last ones, which show the problem. */
  private static List<String> shorten(List<String> lines) {
    if (lines.size() <= MAX_LINES) {
      return lines;
    }
    List<String> kept = new ArrayList<>();
    kept.add(lines.getFirst());
    kept.add("...");
    kept.addAll(lines.subList(lines.size() - MAX_LINES, lines.size()));
    return kept;
  }

  private void countCalls(ChaosHistory history) {
    figures.put("operations", (long) history.calls().size() + history.iterations().size());
    figures.put("iterations", (long) history.iterations().size());
    figures.put("refused", countEnds(history, CallEnd.FAILED));
    figures.put("inDoubt", countEnds(history, CallEnd.OPEN));
    figures.put("readsAfterPauses", countReadsAfterPauses(history));
  }

  private static long countEnds(ChaosHistory history, CallEnd end) {
    return history.calls().stream().filter(call -> call.end() == end).count();
  }

  private static long countReadsAfterPauses(ChaosHistory history) {
    return history.calls().stream()
        .filter(call -> !call.kind().isWrite() && call.end() == CallEnd.RETURNED)
        .filter(
            call ->
                history.pauses().stream()
                    .anyMatch(
                        pause ->
                            pause.affects(call.client())
                                && call.returnedNanos() > pause.untilNanos()
                                && call.invokedNanos() < pause.untilNanos() + AFTER_PAUSE_NANOS))
        .count();
  }

  private void checkBrokenAndOverdue(ChaosHistory history) {
    long broken = 0;
    long overdue = 0;
    for (HistoryCall call : history.calls()) {
      if (!call.broken().isEmpty()) {
        broken++;
        addViolation("broken", "threw what it must not: " + call + ": " + call.broken());
      }
      // Each progress of a putAll restarts its timeout, and a killed caller receives nothing.
      if (call.returnedNanos() != HistoryCall.NEVER && call.end() != CallEnd.DONE) {
        long millis = TimeUnit.NANOSECONDS.toMillis(awakeNanos(call, history.pauses()));
        if (millis > MAX_CALL_DURATION.toMillis()) {
          overdue++;
          addViolation("overdue", "took " + millis + " ms: " + call);
        }
      }
    }
    figures.put("broken", broken);
    figures.put("overdue", overdue);
  }

  /** Returns how long a call took, without the time its own process was paused. */
  private static long awakeNanos(HistoryCall call, List<ProcessPause> pauses) {
    long nanos = call.returnedNanos() - call.invokedNanos();
    for (ProcessPause pause : pauses) {
      if (pause.affects(call.client())) {
        long from = Math.max(pause.fromNanos(), call.invokedNanos());
        long until = Math.min(pause.untilNanos(), call.returnedNanos());
        nanos -= Math.max(0, until - from);
      }
    }
    return nanos;
  }

  private void checkRegisters(ChaosHistory history) {
    Map<String, RecordedKeyHistory> registers = new TreeMap<>();
    for (HistoryCall call : history.calls()) {
      if (call.kind().isOnRegister()) {
        registers
            .computeIfAbsent(call.key(), _ -> new RecordedKeyHistory())
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
          CheckResult answer = register.check(MAX_STEPS);
          if (answer == CheckResult.VIOLATED) {
            violated[0]++;
            addViolation(
                "register",
                key + " is not linearizable: " + register.explain(MAX_STEPS).orElse(""));
          } else if (answer == CheckResult.UNDECIDED) {
            undecided[0]++;
          }
        });
    figures.put("registers", (long) registers.size());
    figures.put("registersNotLinearizable", violated[0]);
    figures.put("registersUndecided", undecided[0]);
  }

  private void checkCounters(ChaosHistory history) {
    Map<String, List<HistoryCall>> counters = new TreeMap<>();
    for (HistoryCall call : history.calls()) {
      if (call.kind() == CallKind.ADD || call.kind() == CallKind.READ) {
        counters.computeIfAbsent(call.key(), _ -> new ArrayList<>()).add(call);
      }
    }
    long violated = 0;
    for (Map.Entry<String, List<HistoryCall>> counter : counters.entrySet()) {
      List<String> wrong = CounterHistoryCheck.findViolations(counter.getValue());
      if (!wrong.isEmpty()) {
        violated++;
        addViolation("counter", counter.getKey() + ": " + String.join("\n", wrong));
      }
    }
    figures.put("countersWrong", violated);
  }

  private void checkIterations(ChaosHistory history) {
    long violated = 0;
    for (IterationRecord walk : history.iterations()) {
      if (!walk.missing().isEmpty() || !walk.duplicated().isEmpty()) {
        violated++;
        addViolation(
            "iteration",
            "iteration of "
                + walk.client()
                + " delivered "
                + walk.delivered()
                + ", missing: "
                + walk.missing()
                + ", twice: "
                + walk.duplicated());
      }
    }
    figures.put("iterationsWrong", violated);
  }
}
