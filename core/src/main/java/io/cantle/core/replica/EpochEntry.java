package io.cantle.core.replica;

import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.transport.Member;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a replica in the epoch that it enters. It follows from the ownership, from how
 * long the replica has taken part, and from what its disk remembers.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param role its role
 * @param sinceEpoch the epoch since which it has taken part in every write; 0 if it has in none
 * @param isWorthless whether what it holds does not count in the epoch, and is to be dropped
 * @param hasDroppedOwnedCopy whether this should be the replica of an owner, and this node has
 *     dropped that one
 */
record EpochEntry(
    ReplicaRole role, int sinceEpoch, boolean isWorthless, boolean hasDroppedOwnedCopy) {

  /**
   * Decides what becomes of a replica.
   *
   * @param durability what its disk remembers; null if it is not durable
   * @param heldSince the epoch since which it has taken part until now; 0 if it has in none
   */
  static EpochEntry of(
      SegmentOwnership ownership,
      Member self,
      GridDefinition gridDefinition,
      @Nullable ReplicaDurability durability,
      int heldSince) {
    if (!ownership.holders().isEmpty()) {
      return ofScattered(ownership, self, heldSince);
    }
    boolean isOfOtherGrid = durability != null && durability.isOfOtherGrid(gridDefinition);
    boolean restored = durability != null && durability.isRestored() && !isOfOtherGrid;
    ReplicaRole role =
        durability != null && !isOfOtherGrid && (restored || heldSince != 0)
            ? ReplicaRole.ofDurable(ownership, self, durability.reachedEpoch())
            : ReplicaRole.of(ownership, self);
    int held = isOfOtherGrid || (restored && role == ReplicaRole.JOINER) ? 0 : heldSince;
    boolean hasDroppedOwnedCopy =
        durability != null
            && held == 0
            && role.isInSync()
            && durability.hasDropped(gridDefinition, ownership.birthEpoch());
    if (role == ReplicaRole.NONE || hasDroppedOwnedCopy) {
      return new EpochEntry(ReplicaRole.NONE, 0, true, hasDroppedOwnedCopy);
    }
    int began = role == ReplicaRole.JOINER ? ReplicaRole.joinEpoch(ownership, self) : held;
    boolean isWorthless = began != held || held < ownership.birthEpoch();
    int since = isWorthless && began == held ? 0 : began;
    // On disk this is recorded before the epoch is served: a node without the record held nothing
    // that counts.
    int firstEpoch = durability == null ? ownership.epoch() : ownership.birthEpoch();
    return new EpochEntry(role, since == 0 ? firstEpoch : since, isWorthless, false);
  }

  /**
   * Decides what becomes of a replica of a scattered segment. Former and confirmed primaries hold
   * everything. What another member holds counts if it is a holder since the epoch in which the
   * topology made it one.
   */
  private static EpochEntry ofScattered(SegmentOwnership ownership, Member self, int heldSince) {
    ReplicaRole role = ReplicaRole.of(ownership, self);
    SegmentOwnership.Holder holder = ownership.findHolder(self);
    boolean hasAll =
        (ownership.isUnconfirmed() || ownership.isUnowned())
            ? ownership.lastOwners().contains(self)
            : role == ReplicaRole.PRIMARY;
    boolean counts =
        heldSince > 0
            && heldSince >= ownership.birthEpoch()
            && (hasAll || (holder != null && holder.sinceEpoch() == heldSince));
    if (role == ReplicaRole.NONE) {
      return new EpochEntry(role, 0, true, false);
    }
    int since = counts ? heldSince : ownership.epoch();
    if (role == ReplicaRole.HOLDER && holder != null) {
      since = holder.sinceEpoch();
    }
    return new EpochEntry(role, since, !counts, false);
  }
}
