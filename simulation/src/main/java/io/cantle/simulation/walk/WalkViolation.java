package io.cantle.simulation.walk;

/** Thrown where a walk finds something that must never be. */
final class WalkViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WalkViolation(String message) {
    super(message, null, false, false);
  }
}
