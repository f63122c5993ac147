package io.cantle.chaos;

import io.cantle.chaos.process.JsonLine;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The history of the clients of one process. An {@code invoke} is written before the call is made
 * and its end after it is over, with times of {@link System#nanoTime}. A call that has ended is
 * {@code ok}, {@code fail} when it did not happen, {@code info} when nobody knows, {@code broken}
 * when it threw what it must not throw.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CallLog {
  private final HistoryWriter writer;
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();

  CallLog(HistoryWriter writer) {
    this.writer = writer;
  }

  /** A call that begins now; the returned number names it. */
  long invoke(String client, CallKind kind, String key, long expected, long value) {
    long number = numbers.incrementAndGet();
    JsonLine line = event(client, number, "invoke").with("call", kind.name());
    if (!key.isEmpty()) {
      line = line.with("key", key);
    }
    if (kind.expects()) {
      line = line.with("expected", expected);
    }
    if (kind.hasValue()) {
      line = line.with("value", value);
    }
    writer.write(line);
    return number;
  }

  void ok(String client, long number, long result) {
    end(event(client, number, "ok").with("result", result));
  }

  /** It ended normally without telling a result. */
  void done(String client, long number) {
    end(event(client, number, "ok"));
  }

  /** An iteration came to its end. */
  void iterated(String client, long number, Iteration iteration) {
    end(
        event(client, number, "ok")
            .with("delivered", iteration.delivered())
            .with("missing", String.join(" ", iteration.missing()))
            .with("twice", String.join(" ", iteration.twice())));
  }

  void fail(String client, long number, Throwable error) {
    end(event(client, number, "fail").with("error", error.getClass().getSimpleName()));
  }

  void info(String client, long number, Throwable error) {
    end(event(client, number, "info").with("error", error.getClass().getSimpleName()));
  }

  void broken(String client, long number, Throwable error) {
    end(event(client, number, "broken").with("error", error.toString()));
  }

  /** How many calls have ended. */
  long ended() {
    return ended.get();
  }

  private void end(JsonLine line) {
    writer.write(line);
    ended.incrementAndGet();
  }

  private static JsonLine event(String client, long number, String type) {
    return JsonLine.empty()
        .with("time", System.nanoTime())
        .with("client", client)
        .with("number", number)
        .with("type", type);
  }
}
