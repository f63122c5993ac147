/** Tests of the scenario of two nodes. */
@NullMarked
package io.cantle.chaos.scenario.pair;

import org.jspecify.annotations.NullMarked;
