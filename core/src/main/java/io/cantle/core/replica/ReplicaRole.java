package io.cantle.core.replica;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.transport.Member;
import java.util.stream.Stream;

/**
 * The role of a replica.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum ReplicaRole {
  /** Keeps nothing. */
  NONE,
  /**
   * Waits in case it is needed: it is one of the last owners that held the segment before it was
   * lost, or before an epoch that no owner has confirmed yet.
   */
  FORMER_OWNER,
  /** Holds second copies of some entries of a scattered cache. */
  HOLDER,
  /** Takes part in writes and fetches the rest. */
  JOINER,
  /** Holds everything. */
  BACKUP,
  /** Holds everything and orders the writes. */
  PRIMARY;

  /** The role of a member's replica. */
  static ReplicaRole of(SegmentOwnership ownership, Member self) {
    int place = ownership.owners().indexOf(self);
    if (place >= 0) {
      return place == 0 ? PRIMARY : BACKUP;
    }
    if (joinEpoch(ownership, self) > 0) {
      return JOINER;
    }
    if (ownership.findHolder(self) != null) {
      return HOLDER;
    }
    return ownership.lastOwners().contains(self) ? FORMER_OWNER : NONE;
  }

  /**
   * The role of a durable replica of a member. It waits while the topology is older than the stored
   * replica, or while another incarnation of its node has a part. A former incarnation may have had
   * a greater part in a later topology. Or the topology may name a dead incarnation by mistake for
   * this one.
   *
   * @param reached the latest epoch that the stored replica mentions
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
    return ownership.joiners().stream()
        .filter(joiner -> joiner.member().equals(self))
        .mapToInt(SegmentOwnership.Joiner::sinceEpoch)
        .findFirst()
        .orElse(0);
  }

  /** Whether a replica with this role takes part in writes. */
  boolean isWriter() {
    return this == HOLDER || this == JOINER || this == BACKUP || this == PRIMARY;
  }

  /** Whether a replica with this role holds everything. */
  boolean isInSync() {
    return this == FORMER_OWNER || this == BACKUP || this == PRIMARY;
  }
}
