package io.cantle.core.replica;

import java.util.function.Predicate;

/**
 * Which sessions there are by one topology. What is known of a session that is over is dropped: one
 * of its commands that comes after that may have been carried out before, and nobody could tell.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param present the sessions of the members
 * @param number the number of the topology
 */
record Lives(Predicate<SessionId> present, long number) {
  /** Nobody is known yet. */
  static final Lives NONE = new Lives(id -> false, 0);

  boolean isPresent(SessionId id) {
    return present.test(id);
  }

  /** Whether it has ended, and is not one that a topology to come will bring. */
  boolean isOver(SessionId id) {
    return id.life() > 0 && id.life() <= number && !present.test(id);
  }
}
