/**
 * The port to the network and what every room says over it: members, messages, requests and
 * answers. No implementation but the network of a node that is alone.
 *
 * <p><b>Threading:</b> any thread; what a transport calls must not wait.
 */
package io.cantle.core.transport;
