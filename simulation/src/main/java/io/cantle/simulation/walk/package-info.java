/**
 * Random walks over topologies alone: crashes, restarts, joins, leaves and cuts, one topology after
 * another, with a model of what each copy holds. There is no network, no data and no time, so
 * 100,000 walks of 50 steps take minutes. They reach states that a whole cluster hardly ever
 * reaches.
 *
 * <p>Imports the topologies of the core. Begin reading at {@link
 * io.cantle.simulation.walk.TopologyWalk}. <b>Threading:</b> one thread runs a walk; walks run side
 * by side.
 */
@NullMarked
package io.cantle.simulation.walk;

import org.jspecify.annotations.NullMarked;
