/**
 * Maps a key to its hash and its segment, by pure functions that give the same result on every
 * node. It may import {@code memory}, {@code base} and the hash functions of hash4j. It knows
 * nothing of entries, the network or time. Begin reading with {@link
 * io.cantle.core.segment.KeyHash}.
 *
 * <p><b>Threading:</b> everything here is immutable or stateless; any thread.
 */
package io.cantle.core.segment;
