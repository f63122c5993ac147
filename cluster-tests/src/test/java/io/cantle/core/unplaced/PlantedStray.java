package io.cantle.core.unplaced;

/** A class of core in a package that the order does not list. */
public final class PlantedStray {

  private PlantedStray() {}
}
