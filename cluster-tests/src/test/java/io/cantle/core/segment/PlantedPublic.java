package io.cantle.core.segment;

/** A type that is public, with public methods, and no other package uses. */
public final class PlantedPublic {

  private PlantedPublic() {}

  /** Used by nobody. */
  public static int unused() {
    return 0;
  }

  @Override
  public String toString() {
    return "planted";
  }
}
