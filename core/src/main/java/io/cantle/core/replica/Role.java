package io.cantle.core.replica;

import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.Member;
import java.util.stream.Stream;

/**
 * What a copy is for.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum Role {
  /** Nothing is kept here. */
  NONE,
  /**
   * One of the last that held the segment before it was lost, or before an epoch that nobody has
   * confirmed yet: it waits, in case it is needed.
   */
  KEEPER,
  /** Takes part in writes and fetches the rest. */
  JOINER,
  /** Holds everything. */
  BACKUP,
  /** Holds everything and orders the writes. */
  PRIMARY;

  /** What a member's copy is for. */
  static Role of(Ownership ownership, Member self) {
    int place = ownership.owners().indexOf(self);
    if (place >= 0) {
      return place == 0 ? PRIMARY : BACKUP;
    }
    if (joinedSince(ownership, self) > 0) {
      return JOINER;
    }
    return ownership.last().contains(self) ? KEEPER : NONE;
  }

  /**
   * The same of a member that keeps its copy on disk. It waits as long as another life of its node
   * has a part: a former one may have had a greater one than the topology knows that it has come
   * back with, or may have been taken for this one by mistake, and be dead.
   *
   * @param reached the latest epoch its copy tells of
   */
  static Role ofKept(Ownership ownership, Member self, int reached) {
    Role role = of(ownership, self);
    boolean waits =
        ownership.epoch() < reached
            || Stream.concat(ownership.writers().stream(), ownership.last().stream())
                .anyMatch(self::sameNode);
    return role == NONE && waits ? KEEPER : role;
  }

  /** The epoch in which a member began to join, or 0 if it does not. */
  static int joinedSince(Ownership ownership, Member self) {
    for (Ownership.Joiner joiner : ownership.joiners()) {
      if (joiner.member().equals(self)) {
        return joiner.since();
      }
    }
    return 0;
  }

  /** Whether such a copy takes part in writes. */
  boolean writes() {
    return this == JOINER || this == BACKUP || this == PRIMARY;
  }

  /** Whether such a copy holds everything. */
  boolean inSync() {
    return this == KEEPER || this == BACKUP || this == PRIMARY;
  }
}
