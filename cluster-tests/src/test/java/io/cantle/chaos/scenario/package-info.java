/** Tests of the scenarios. */
@NullMarked
package io.cantle.chaos.scenario;

import org.jspecify.annotations.NullMarked;
