/**
 * Looks into the nodes of a simulated cluster: turns what {@link io.cantle.core.node.NodeInspector}
 * tells into members, roles and entries.
 *
 * <p><b>Threading:</b> the carrier of a seed.
 */
package io.cantle.simulation.probe;
