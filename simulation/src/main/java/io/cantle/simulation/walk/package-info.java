/**
 * Random walks over topologies alone: crashes, returns, joins, leaves and cuts, one topology after
 * another, and a model of what each copy holds. No network, no data, no time: 100,000 walks of 50
 * steps take minutes, and reach states a whole cluster hardly ever comes to.
 *
 * <p>May use the topologies of the core. <b>Threading:</b> one thread runs a walk; walks run side
 * by side.
 */
@NullMarked
package io.cantle.simulation.walk;

import org.jspecify.annotations.NullMarked;
