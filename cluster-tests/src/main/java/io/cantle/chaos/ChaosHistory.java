package io.cantle.chaos;

import io.cantle.chaos.process.JsonLine;
import io.cantle.simulation.RecordedKeyHistory.CallEnd;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The history of a run as its clients recorded it, read back from its files.
 *
 * <p><b>Threading:</b> immutable once read.
 *
 * @param calls every call but iterations
 * @param iterations the completed iterations
 * @param pauses when which process was paused
 */
record ChaosHistory(
    List<HistoryCall> calls, List<IterationRecord> iterations, List<ProcessPause> pauses) {
  private static final String ENDING = ".jsonl";

  /**
   * A call on a key.
   *
   * @param returnedNanos when it ended; later than everything while it has not
   * @param broken what it threw though it must not, else empty
   */
  record HistoryCall(
      String client,
      CallKind kind,
      String key,
      long expected,
      long value,
      long invokedNanos,
      long returnedNanos,
      CallEnd end,
      long result,
      String broken) {
    static final long NEVER = Long.MAX_VALUE;

    @Override
    public String toString() {
      return client
          + " "
          + kind
          + " "
          + key
          + " expected "
          + expected
          + " value "
          + value
          + " from "
          + invokedNanos
          + " to "
          + (returnedNanos == NEVER ? "never" : returnedNanos)
          + " "
          + end
          + " "
          + result;
    }
  }

  /**
   * A completed iteration: how many entries it delivered, which keys it missed, and which it
   * delivered again.
   */
  record IterationRecord(String client, long delivered, String missing, String duplicated) {}

  /** A pause of a process. */
  record ProcessPause(String node, long fromNanos, long untilNanos) {
    /** Returns whether a client runs in the process. */
    boolean affects(String client) {
      return client.startsWith(node + ".");
    }
  }

  /**
   * Reads all files of a folder.
   *
   * @throws IllegalArgumentException naming the line that cannot be parsed
   */
  static ChaosHistory read(Path folder) throws IOException {
    ChaosHistory history =
        new ChaosHistory(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(each -> each.toString().endsWith(ENDING)).sorted().toList()) {
        if (file.endsWith(FaultLog.FILE_NAME)) {
          history.readFaults(file);
        } else {
          history.readCalls(file);
        }
      }
    }
    return history;
  }

  private interface LineVisitor {
    void visit(JsonLine line);
  }

  private static void readLines(Path file, LineVisitor reader) throws IOException {
    try (BufferedReader in = Files.newBufferedReader(file)) {
      int number = 1;
      for (String line = in.readLine(); line != null; number++) {
        String next = in.readLine();
        try {
          reader.visit(JsonLine.parse(line));
        } catch (IllegalArgumentException e) {
          // The process may have been killed in the middle of its last line.
          if (next != null) {
            throw new IllegalArgumentException(file + ":" + number + ": " + e.getMessage(), e);
          }
        }
        line = next;
      }
    }
  }

  private void readFaults(Path file) throws IOException {
    Map<String, Long> began = new HashMap<>();
    readLines(
        file,
        line -> {
          if (line.hasValue("fault", FaultKind.PAUSE.name())) {
            String node = line.text("node");
            long time = line.number("time");
            if (line.hasValue("type", "begin")) {
              began.put(node, time);
            } else {
              pauses.add(new ProcessPause(node, began.getOrDefault(node, time), time));
            }
          }
        });
  }

  private void readCalls(Path file) throws IOException {
    Map<String, String> names = new HashMap<>();
    Map<Long, JsonLine> open = new HashMap<>();
    readLines(
        file,
        line -> {
          if (line.hasValue("type", "invoke")) {
            open.put(line.number("number"), line);
            return;
          }
          JsonLine invoke = open.remove(line.number("number"));
          if (invoke == null) {
            throw new IllegalArgumentException(line + " ends a call that never began");
          }
          addCall(invoke, line, names);
        });
    JsonLine never = JsonLine.empty().with("type", "info");
    open.values().forEach(invoke -> addCall(invoke, never, names));
  }

  private void addCall(JsonLine invoke, JsonLine ended, Map<String, String> names) {
    CallKind kind = CallKind.valueOf(invoke.text("call"));
    String client = names.computeIfAbsent(invoke.text("client"), name -> name);
    CallEnd end =
        switch (ended.text("type")) {
          case "ok" -> ended.has("result") ? CallEnd.RETURNED : CallEnd.DONE;
          case "fail" -> CallEnd.FAILED;
          case "info", "broken" -> CallEnd.OPEN;
          default -> throw new IllegalArgumentException(ended + " has no known type");
        };
    String broken = ended.hasValue("type", "broken") ? ended.text("error") : "";
    if (kind == CallKind.ITERATE && broken.isEmpty()) {
      if (end == CallEnd.DONE) {
        iterations.add(
            new IterationRecord(
                client, ended.number("delivered"), ended.text("missing"), ended.text("twice")));
      }
      return;
    }
    String key = invoke.text("key", "");
    calls.add(
        new HistoryCall(
            client,
            kind,
            names.computeIfAbsent(key, name -> name),
            invoke.number("expected", 0),
            invoke.number("value", 0),
            invoke.number("time"),
            // For a call in doubt, only the caller has returned.
            ended.number("time", HistoryCall.NEVER),
            end,
            ended.number("result", 0),
            broken));
  }
}
