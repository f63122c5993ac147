package io.cantle.core.container;

import io.cantle.core.memory.ObjectLayout;

/**
 * A decoded value that can be changed. Streams at the owner share it, and callers get copies.
 *
 * <p><b>Threading:</b> as the value.
 */
record UnsharedValue(Object value) {
  /** What an object of this class takes. */
  static final int SIZE_BYTES = ObjectLayout.objectBytes(1, 0);
}
