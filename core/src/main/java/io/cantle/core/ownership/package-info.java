/**
 * Says which node owns each segment, now and next. {@link io.cantle.core.ownership.Topology} is the
 * one state that all nodes of a grid share; {@link io.cantle.core.ownership.TopologyPlanner} is the
 * pure function from one topology to the next, {@code CachePlanner} that for the segments of a
 * cache, and {@code OwnerAssignment} places owners so that the fewest segments move. This package
 * may import {@code wire} and the packages below it, and sends nothing. Begin reading with {@link
 * io.cantle.core.ownership.Topology}.
 *
 * <p><b>Threading:</b> everything here is immutable or a pure function; any thread.
 */
package io.cantle.core.ownership;
