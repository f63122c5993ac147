package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import java.util.List;

/**
 * Observes what is committed in the replica of a segment, on the primary and on backups alike.
 * First it is given the newest versions of the keys that were written after the version from which
 * it observes, tombstones too. Then it is given every change, in the order of their versions. No
 * change is left out, and none is given twice.
 *
 * <p>If that cannot be kept, the observer is reset, and begins again with nothing: this node has
 * dropped the replica, or tombstones that the observer needs are purged, or it was too slow.
 *
 * <p>An observer that throws begins again after the last version it was given, with the replica's
 * next step: with the newest version of each key that was written since. It is reset if it throws
 * when it was given some of what was there, and not all. Only the first failure is logged, until
 * the observer succeeds.
 *
 * <p><b>Threading:</b> any thread, one at a time, without a lock. An observer that waits holds up
 * the thread of a write.
 */
public interface ChangeObserver {
  /** Whether changes that lead to this entry are observed. Called under the replica's lock. */
  default boolean observes(Entry after) {
    return true;
  }

  /** Forgets everything: what follows is complete without it. */
  void onReset();

  /** Learns of some changes, in their order. */
  void onCommitted(List<CommittedChange> changes);
}
