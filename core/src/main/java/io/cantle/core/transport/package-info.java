/**
 * The port to the network and what all packages share above it: members, message kinds, requests
 * and responses. It may import {@code base} and the packages between, and no network library. The
 * only implementation of the port here is that of a node without a network. Begin reading with
 * {@link io.cantle.core.transport.Transport}, then {@link
 * io.cantle.core.transport.MessagingService}.
 *
 * <p><b>Threading:</b> any thread; what a transport calls must not wait.
 */
package io.cantle.core.transport;
