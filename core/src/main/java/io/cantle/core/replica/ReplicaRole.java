package io.cantle.core.replica;

import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.transport.Member;
import java.util.stream.Stream;

/**
 * What a copy is for.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum ReplicaRole {
  /** Nothing is kept here. */
  NONE,
  /**
   * One of the last that held the segment before it was lost, or before an epoch that nobody has
   * confirmed yet: it waits, in case it is needed.
   */
  FORMER_OWNER,
  /** Takes part in writes and fetches the rest. */
  JOINER,
  /** Holds everything. */
  BACKUP,
  /** Holds everything and orders the writes. */
  PRIMARY;

  /** What a member's copy is for. */
  static ReplicaRole of(SegmentOwnership ownership, Member self) {
    int place = ownership.owners().indexOf(self);
    if (place >= 0) {
      return place == 0 ? PRIMARY : BACKUP;
    }
    if (joinEpoch(ownership, self) > 0) {
      return JOINER;
    }
    return ownership.lastOwners().contains(self) ? FORMER_OWNER : NONE;
  }

  /**
   * The same of a member that keeps its copy on disk. It waits as long as another life of its node
   * has a part: a former one may have had a greater one than the topology knows that it has come
   * back with, or may have been taken for this one by mistake, and be dead.
   *
   * @param reached the latest epoch its copy tells of
   */
  static ReplicaRole ofDurable(SegmentOwnership ownership, Member self, int reached) {
    ReplicaRole role = of(ownership, self);
    boolean waits =
        ownership.epoch() < reached
            || Stream.concat(ownership.writers().stream(), ownership.lastOwners().stream())
                .anyMatch(self::isSameNode);
    return role == NONE && waits ? FORMER_OWNER : role;
  }

  /** The epoch in which a member began to join, or 0 if it does not. */
  static int joinEpoch(SegmentOwnership ownership, Member self) {
    for (SegmentOwnership.Joiner joiner : ownership.joiners()) {
      if (joiner.member().equals(self)) {
        return joiner.sinceEpoch();
      }
    }
    return 0;
  }

  /** Whether such a copy takes part in writes. */
  boolean isWriter() {
    return this == JOINER || this == BACKUP || this == PRIMARY;
  }

  /** Whether such a copy holds everything. */
  boolean isInSync() {
    return this == FORMER_OWNER || this == BACKUP || this == PRIMARY;
  }
}
