package io.cantle.simulation.walk;

/** The exception of a walk that finds something that must never be. */
final class WalkViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WalkViolation(String message) {
    super(message, null, false, false);
  }

  /** Throws one unless something holds. */
  static void unless(boolean holds, String what) {
    if (!holds) {
      throw new WalkViolation("it does not hold that " + what);
    }
  }
}
