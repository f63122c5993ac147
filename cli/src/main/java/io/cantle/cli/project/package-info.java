/**
 * The command {@code new}: installs the artifacts of this checkout into the local Maven repository,
 * and writes a small project that depends on them. Begin reading with {@link
 * io.cantle.cli.project.NewCommand}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@NullMarked
package io.cantle.cli.project;

import org.jspecify.annotations.NullMarked;
