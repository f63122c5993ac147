/**
 * The messages between nodes: a record for each kind, which knows its form on the wire. Begin with
 * {@link io.cantle.core.wire.WireMessage}. A message that carries what is defined in a package
 * above is a record there, and a {@link io.cantle.core.transport.Message} too. The bytes of each
 * message are described in {@code docs/formats/wire.md}.
 *
 * <p><b>Threading:</b> immutable.
 */
package io.cantle.core.wire;
