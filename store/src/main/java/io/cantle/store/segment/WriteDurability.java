package io.cantle.store.segment;

import io.cantle.store.log.SyncPolicy;

/**
 * When a write ends.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum WriteDurability {
  /** When the log's {@link SyncPolicy} says. */
  POLICY,
  /** When it is durable, whatever the policy. */
  SYNCED
}
