package io.cantle.bench.log;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is compared.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum LogVariant {
  /** The mail's: a lock around write and sync. */
  SIMPLE(null),
  /** The mail's: writers wait for one another. */
  WAITING(null),
  /** The mail's: one writer, the others spin. */
  SINGLE_SPINNING(null),
  /** The mail's: one writer, the others yield. */
  SINGLE_YIELDING(null),
  /** The mail's: one writer, the others sleep. */
  SINGLE_WAITING(null),
  /** Cantle's, its writers virtual threads, as the calls of a grid are. */
  CANTLE("cantle"),
  /** Cantle's, its writers platform threads. */
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

  /** How it is named on the command line, in tables and files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The module of bench that drives it; null if this one does. */
  public @Nullable String module() {
    return module;
  }

  /** Whether it is of the mail. */
  public boolean isReferenceLog() {
    return compareTo(SINGLE_WAITING) <= 0;
  }

  /** Whether each sync can be made to take longer. */
  public boolean canBeDelayed() {
    return this != ROCKSDB && this != ARTEMIS;
  }

  /** The kind of thread that appends to it: the one it does best with. */
  Thread.Builder threads() {
    return this == CANTLE ? Thread.ofVirtual() : Thread.ofPlatform();
  }
}
