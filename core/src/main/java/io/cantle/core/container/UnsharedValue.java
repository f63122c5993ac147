package io.cantle.core.container;

/**
 * A decoded value that can be changed. Streams at the owner share it, and callers get copies.
 *
 * <p><b>Threading:</b> as the value.
 */
record UnsharedValue(Object value) {}
