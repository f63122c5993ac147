/** Tests of the black box: its checks on hand-made histories, and a small run on loopback. */
@NullMarked
package io.cantle.chaos;

import org.jspecify.annotations.NullMarked;
