/**
 * From a key to its segment and from a segment to its owners: pure functions, the same on every
 * node. Uses {@code base} and the hash of hash4j; knows no entry, no network and no time.
 *
 * <p><b>Threading:</b> everything here is immutable or stateless; any thread.
 */
package io.cantle.core.segment;
