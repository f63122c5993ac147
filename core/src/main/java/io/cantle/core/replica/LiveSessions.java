package io.cantle.core.replica;

import java.util.function.Predicate;

/**
 * The sessions that are alive in one topology. What is known of a session that has ended is
 * dropped. A command of it that arrives later may have been executed before, and no node could
 * tell.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param present the sessions of the members
 * @param topologyNumber the number of the topology
 */
record LiveSessions(Predicate<SessionId> present, long topologyNumber) {
  /** No sessions are known yet. */
  static final LiveSessions NONE = new LiveSessions(id -> false, 0);

  boolean isLive(SessionId id) {
    return present.test(id);
  }

  /** Whether the session has ended, and is not one that a future topology will admit. */
  boolean hasEnded(SessionId id) {
    return id.admissionNumber() > 0 && id.admissionNumber() <= topologyNumber && !present.test(id);
  }
}
