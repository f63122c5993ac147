package io.cantle.core.segment;

/** Two nested types that have one name, and one that has a name of the JDK. */
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

  /** Has the name of a type of {@code java.util.concurrent}. */
  public record TimeoutException() {}
}
