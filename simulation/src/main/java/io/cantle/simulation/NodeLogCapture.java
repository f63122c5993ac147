package io.cantle.simulation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * A log handler that captures what nodes log. The console would be a lock that seeds share. A
 * warning that carries an exception may be harmless in an operator's eyes, but it is a bug where
 * every message arrives as it was sent. It fails the seed.
 *
 * <p><b>Threading:</b> any thread; a record is given to the run whose simulated thread logs it.
 */
final class NodeLogCapture extends Handler {
  private static final String NODE_LOGGER_NAME = "io.cantle";

  // A strong reference, because the JDK holds loggers only weakly.
  private static final Logger LOGGER = Logger.getLogger(NODE_LOGGER_NAME);
  private static final List<Listener> LISTENERS = new CopyOnWriteArrayList<>();

  private record Listener(SimulationScheduler scheduler, Consumer<LogRecord> consumer) {}

  static {
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(new NodeLogCapture());
    LOGGER.setLevel(Level.WARNING);
  }

  private NodeLogCapture() {}

  /** Runs a seed and gives the log records of its nodes to a consumer, on the thread that logs. */
  static void captureDuring(
      SimulationScheduler scheduler, boolean everything, Consumer<LogRecord> consumer) {
    if (everything) {
      captureFrom(Level.ALL);
    }
    Listener listener = new Listener(scheduler, consumer);
    LISTENERS.add(listener);
    try {
      scheduler.runUntilDone();
    } finally {
      LISTENERS.remove(listener);
    }
  }

  /** From now on records of this level, and above it, are captured too. */
  static synchronized void captureFrom(Level level) {
    if (LOGGER.getLevel().intValue() > level.intValue()) {
      LOGGER.setLevel(level);
    }
  }

  /** Returns the text of a record, without its time. */
  static String text(LogRecord record) {
    String text = new SimpleFormatter().formatMessage(record);
    Throwable thrown = record.getThrown();
    return thrown == null ? text : text + ": " + StackTraces.format(thrown);
  }

  @Override
  public void publish(LogRecord record) {
    for (Listener listener : LISTENERS) {
      if (listener.scheduler.runsCallingThread()) {
        listener.consumer.accept(record);
      }
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
