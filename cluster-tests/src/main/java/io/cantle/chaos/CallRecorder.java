package io.cantle.chaos;

import io.cantle.chaos.process.JsonLine;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The history of the clients of one process. An {@code invoke} is written before the call is made,
 * and its end after the call has ended, with times of {@link System#nanoTime}. An ended call is
 * {@code ok}; {@code fail} when it did not happen; {@code info} when its outcome is unknown; {@code
 * broken} when it threw what it must not throw.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CallRecorder {
  private final HistoryWriter writer;
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong endedCalls = new AtomicLong();

  CallRecorder(HistoryWriter writer) {
    this.writer = writer;
  }

  /** Records a call that begins now; the returned number identifies it. */
  long recordInvoke(String client, CallKind kind, String key, long expected, long value) {
    long number = numbers.incrementAndGet();
    JsonLine line = newEvent(client, number, "invoke").with("call", kind.name());
    if (!key.isEmpty()) {
      line = line.with("key", key);
    }
    if (kind.hasExpectedValue()) {
      line = line.with("expected", expected);
    }
    if (kind.hasValue()) {
      line = line.with("value", value);
    }
    writer.writeLine(line);
    return number;
  }

  void recordOk(String client, long number, long result) {
    writeEnd(newEvent(client, number, "ok").with("result", result));
  }

  /** Records that a call ended normally without a result. */
  void recordDone(String client, long number) {
    writeEnd(newEvent(client, number, "ok"));
  }

  /** Records that an iteration came to its end. */
  void recordIteration(String client, long number, IterationCheck iteration) {
    writeEnd(
        newEvent(client, number, "ok")
            .with("delivered", iteration.deliveredCount())
            .with("missing", String.join(" ", iteration.missingKeys()))
            .with("twice", String.join(" ", iteration.duplicatedKeys())));
  }

  void recordFail(String client, long number, Throwable error) {
    writeEnd(newEvent(client, number, "fail").with("error", error.getClass().getSimpleName()));
  }

  void recordInfo(String client, long number, Throwable error) {
    writeEnd(newEvent(client, number, "info").with("error", error.getClass().getSimpleName()));
  }

  void recordBroken(String client, long number, Throwable error) {
    writeEnd(newEvent(client, number, "broken").with("error", error.toString()));
  }

  /** Returns how many calls have ended. */
  long endedCalls() {
    return endedCalls.get();
  }

  private void writeEnd(JsonLine line) {
    writer.writeLine(line);
    endedCalls.incrementAndGet();
  }

  private static JsonLine newEvent(String client, long number, String type) {
    return JsonLine.empty()
        .with("time", System.nanoTime())
        .with("client", client)
        .with("number", number)
        .with("type", type);
  }
}
