/**
 * The command {@code recover}: lets a stopped node continue without other nodes that are gone for
 * good. It works on the folder of the node through {@code io.cantle.core.node.StoppedNode}. Begin
 * reading with {@link io.cantle.cli.recover.RecoverCommand}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@NullMarked
package io.cantle.cli.recover;

import org.jspecify.annotations.NullMarked;
