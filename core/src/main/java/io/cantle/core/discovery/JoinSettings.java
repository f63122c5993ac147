package io.cantle.core.discovery;

import io.cantle.WhenCut;
import io.cantle.core.ownership.MemberCapacity;
import java.time.Duration;

/**
 * How a node joins a grid, or founds one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param initialMembers how many nodes must be visible before it founds a grid
 * @param whenCut what the members of a grid that it founds do when they are cut off
 * @param capacity how much it is to hold, and its rack
 * @param timeout how long it waits to be admitted
 */
public record JoinSettings(
    int initialMembers, WhenCut whenCut, MemberCapacity capacity, Duration timeout) {}
