package io.cantle.simulation;

import java.io.PrintStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A log of the events of a run. It counts them, folds them into one hash, and prints them if asked
 * to. Two runs with the same hash did the same things at the same times with the same bytes.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class EventLog {
  private static final VarHandle LONG_BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private final SimulationScheduler scheduler;
  private final @Nullable PrintStream trace;
  private final long[] counts = new long[EventKind.values().length];
  private long hash = 1;

  EventLog(SimulationScheduler scheduler, @Nullable PrintStream trace) {
    this.scheduler = scheduler;
    this.trace = trace;
  }

  /** Returns the hash of everything recorded so far. */
  long hash() {
    return hash;
  }

  /** Returns how many events of a kind were recorded. */
  long count(EventKind kind) {
    return counts[kind.index()];
  }

  /** Records an event at a host. */
  void record(EventKind kind, SimulatedHost host, Supplier<String> text) {
    counts[kind.index()]++;
    fold(scheduler.nowNanos());
    fold(((long) kind.index() << 32) | host.number());
    if (trace != null) {
      print(kind.toString(), host, text.get());
    }
  }

  /** Records an event at a host, with a number to fold into the hash. */
  void record(EventKind kind, SimulatedHost host, long detail, Supplier<String> text) {
    record(kind, host, text);
    fold(detail);
  }

  /** Records an event at a host, with bytes to fold into the hash. */
  void record(EventKind kind, SimulatedHost host, byte[] bytes, Supplier<String> text) {
    record(kind, host, text);
    fold(bytes);
  }

  /** Returns whether events are printed. */
  boolean isTracing() {
    return trace != null;
  }

  /** Counts an event that needs no place in the hash. */
  void count(EventKind kind, boolean happened) {
    counts[kind.index()] += happened ? 1 : 0;
  }

  /** Prints something that is neither counted nor hashed. */
  void print(String kind, SimulatedHost host, String text) {
    if (trace != null) {
      long micros = scheduler.nowNanos() / 1_000;
      trace.printf(
          "%6d.%06d %-4s %-18s %s%n", micros / 1_000_000, micros % 1_000_000, host, kind, text);
    }
  }

  private void fold(byte[] bytes) {
    int position = 0;
    for (; position <= bytes.length - Long.BYTES; position += Long.BYTES) {
      fold((long) LONG_BYTES.get(bytes, position));
    }
    long rest = bytes.length;
    for (; position < bytes.length; position++) {
      rest = (rest << Byte.SIZE) | (bytes[position] & 0xFF);
    }
    fold(rest);
  }

  private void fold(long value) {
    long mixed = (hash ^ value) * MULTIPLIER;
    hash = mixed ^ (mixed >>> 32);
  }
}
