package io.cantle.core.segment;

/** Two nested types that have one name. */
public final class PlantedNames {

  private PlantedNames() {}

  /** The first outer type. */
  public static final class FirstOuter {
    /** Has the name of another type. */
    public record Repeated() {}
  }

  /** The second outer type. */
  public static final class SecondOuter {
    /** Has the name of another type. */
    public record Repeated() {}
  }
}
