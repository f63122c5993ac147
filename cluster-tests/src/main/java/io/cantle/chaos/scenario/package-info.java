/**
 * Scripted faults against real processes: each {@link io.cantle.chaos.scenario.Scenario} starts
 * nodes of its own, does one kind of harm to them, and reports figures and what they violate. A
 * scenario names the planted bugs that it finds, so that it can be shown to be able to fail.
 *
 * <p><b>Threading:</b> a scenario runs on the main thread.
 */
@NullMarked
package io.cantle.chaos.scenario;

import org.jspecify.annotations.NullMarked;
