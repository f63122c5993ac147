package io.cantle.store.log;

/**
 * When an append is acknowledged and when it is durable. Whoever appends may ask for more by {@link
 * AppendLog#sync}, never for less.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum SyncPolicy {
  /** Each append is synced alone, then acknowledged. */
  ALWAYS,
  /** Appends that come together share a sync, and are acknowledged after it. */
  GROUP,
  /**
   * Acknowledged when the system has it, so that the end of the process loses nothing; synced at
   * least every {@link LogOptions#syncPeriodNanos}, which is what a power cut may lose.
   */
  PERIODIC,
  /** Acknowledged when the system has it, which may write it to the disk whenever it wants. */
  NEVER;

  /** Whether an append is durable when it is acknowledged. */
  public boolean isDurable() {
    return this == ALWAYS || this == GROUP;
  }
}
