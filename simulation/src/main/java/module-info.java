import org.jspecify.annotations.NullMarked;

/** A simulation of a whole cluster in one thread from a seed. */
@NullMarked
module io.cantle.simulation {
  exports io.cantle.simulation;
  exports io.cantle.simulation.planted;

  requires io.cantle.core;
  requires java.compiler;
  requires java.logging;
  requires static org.jspecify;
}
