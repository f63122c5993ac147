package io.cantle.core.replica;

import java.util.function.Predicate;

/**
 * Which sessions there are by one topology. What is known of a session that is over is dropped: one
 * of its commands that comes after that may have been carried out before, and nobody could tell.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param present the sessions of the members
 * @param topologyNumber the number of the topology
 */
record LiveSessions(Predicate<SessionId> present, long topologyNumber) {
  /** Nobody is known yet. */
  static final LiveSessions NONE = new LiveSessions(id -> false, 0);

  boolean isLive(SessionId id) {
    return present.test(id);
  }

  /** Whether it has ended, and is not one that a topology to come will bring. */
  boolean hasEnded(SessionId id) {
    return id.admissionNumber() > 0 && id.admissionNumber() <= topologyNumber && !present.test(id);
  }
}
