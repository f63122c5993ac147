/**
 * How nodes find into one grid and leave it. {@link io.cantle.core.discovery.GridDiscovery} decides
 * what nodes tell each other, {@link io.cantle.core.discovery.DiscoveryHandler} what follows from
 * it, and {@link io.cantle.core.discovery.GracefulLeave} when a node may go. {@link
 * io.cantle.core.discovery.StoreHistoryTable} and {@code DuplicateProcessDetector} tell a restarted
 * node from an old copy of it, and {@link io.cantle.core.discovery.JoinRefusalTracker} says so to
 * it. This package may import {@code agreement} and the packages below it. Begin reading with
 * {@link io.cantle.core.discovery.GridDiscovery}.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}, except where a type says
 * otherwise.
 */
package io.cantle.core.discovery;
