/**
 * Objects to bytes and back, and the list of what may come back.
 *
 * <p>Keys, scalars, strings, byte arrays, records and what has a codec of the user's have a frozen
 * form of our own; every other value goes through Apache Fory; functions travel as the parts of
 * their serializable lambda. Uses {@code base} only. Every public type may be used by any thread at
 * once.
 */
package io.cantle.core.codec;
