/**
 * Protocol scripts: text files from which a reader learns the protocol, message by message, and
 * which fail when it changes. Their README, beside the scripts in {@code src/test/protocol}, says
 * how to read, run and add one. Begin with {@link io.cantle.simulation.script.ProtocolScript}, the
 * file, and {@link io.cantle.simulation.script.ScriptPlayer}, which runs it.
 *
 * <p><b>Threading:</b> scripts run on a simulated thread, in virtual time.
 */
@NullMarked
package io.cantle.simulation.script;

import org.jspecify.annotations.NullMarked;
