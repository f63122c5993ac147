/**
 * Scripted faults against real processes. Each {@link io.cantle.chaos.scenario.ChaosScenario}
 * starts nodes of its own, inflicts one kind of fault on them, and reports figures and what they
 * violate. A scenario names the planted bugs that it finds, so that it can be shown to be able to
 * fail.
 *
 * <p><b>Threading:</b> a scenario runs on the main thread.
 */
@NullMarked
package io.cantle.chaos.scenario;

import org.jspecify.annotations.NullMarked;
