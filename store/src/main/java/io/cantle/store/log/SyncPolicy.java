package io.cantle.store.log;

/**
 * When an append is acknowledged and when it is durable. A caller may ask for more with {@link
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
   * Acknowledged when the operating system has it, so that the end of the process loses nothing. It
   * is synced at least every {@link LogOptions#syncPeriodNanos}; a power cut may lose what was
   * written in that time.
   */
  PERIODIC,
  /** Acknowledged when the operating system has it, which may write it to the disk at any time. */
  NEVER;

  /** Whether an append is durable when it is acknowledged. */
  public boolean isDurable() {
    return this == ALWAYS || this == GROUP;
  }
}
