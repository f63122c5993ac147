package io.cantle.core.container;

import org.jspecify.annotations.Nullable;

/**
 * A decoded value that can be changed. Streams at the owner share it, and callers get copies.
 *
 * <p><b>Threading:</b> as the value.
 *
 * @param value null for the values of an entry that has left its container
 */
record UnsharedValue(@Nullable Object value) {}
