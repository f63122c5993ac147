package io.cantle.bench.log;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The logs that are compared. Five of them come from a mail of 2013; they are strategies of
 * Cantle's log, with the same files as its own.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum LogVariant {
  /** From the mail: a lock around write and sync. */
  SIMPLE("cantle"),
  /** From the mail: writers wait for one another. */
  WAITING("cantle"),
  /** From the mail: one writer, the others spin. */
  SINGLE_SPINNING("cantle"),
  /** From the mail: one writer, the others yield. */
  SINGLE_YIELDING("cantle"),
  /** From the mail: one writer, the others sleep. */
  SINGLE_WAITING("cantle"),
  /** Cantle's log with virtual threads as writers, as the calls of a grid are. */
  CANTLE("cantle"),
  /** Cantle's log with platform threads as writers. */
  CANTLE_PLATFORM("cantle"),
  /** RocksDB's put with sync. */
  ROCKSDB("rocksdb"),
  /** The journal of Artemis on NIO. */
  ARTEMIS("artemis"),
  /** A loop of write and sync on a preallocated file; for one writer. */
  RAW(null);

  private final @Nullable String module;

  LogVariant(@Nullable String module) {
    this.module = module;
  }

  /** Returns its name on the command line, in tables and files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the module of bench that drives it; null if this one does. */
  public @Nullable String module() {
    return module;
  }

  /** Returns whether it comes from the mail. */
  public boolean isReferenceLog() {
    return compareTo(SINGLE_WAITING) <= 0;
  }

  /** Returns whether each sync can be made to take longer. */
  public boolean canBeDelayed() {
    return this != ROCKSDB && this != ARTEMIS;
  }

  /** Returns the kind of thread that appends to it: the one it does best with. */
  Thread.Builder threads() {
    return this == CANTLE ? Thread.ofVirtual() : Thread.ofPlatform();
  }
}
