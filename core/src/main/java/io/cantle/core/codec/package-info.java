/**
 * Converts objects to bytes and back, and limits which classes may be decoded.
 *
 * <p>Keys, scalars, strings, byte arrays, records and objects with a user's codec have Cantle's own
 * frozen format. Every other value is encoded by Apache Fory. Functions are sent as the parts of
 * their serializable lambda. The package may import {@code base} and the packages between. Every
 * public type may be used by any thread. Begin reading with {@link io.cantle.core.codec.Codec}.
 */
package io.cantle.core.codec;
