/** Tests of the lines between processes. */
@NullMarked
package io.cantle.chaos.process;

import org.jspecify.annotations.NullMarked;
