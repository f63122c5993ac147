package io.cantle.core.scan;

import io.cantle.core.base.Input;

/**
 * Reads the partial results of a reduction.
 *
 * <p><b>Threading:</b> the thread that runs the reduction.
 */
@FunctionalInterface
public interface PartialReader {
  /** Reads one result; returns false when no more are needed. */
  boolean read(Input partial);

  /** Called before each request is sent: from then on the task may run at an owner. */
  default void onSend() {}
}
