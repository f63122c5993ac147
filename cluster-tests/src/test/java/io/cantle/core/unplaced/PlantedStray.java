package io.cantle.core.unplaced;

/** A class of core in a package that the order does not know. */
public final class PlantedStray {

  private PlantedStray() {}
}
