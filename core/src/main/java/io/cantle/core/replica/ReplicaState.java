package io.cantle.core.replica;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * The part that a replica has in an epoch.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param epoch the epoch entered last
 * @param role its role in that epoch
 * @param isServing whether the epoch is known to be served
 * @param isSteady whether no node joins
 * @param others for a primary: the other writers, backups before joiners; of a scattered segment,
 *     the members that may be given second copies
 * @param backupCount how many of the others are backups
 * @param isScattered whether each write goes to one of the others only
 */
public record ReplicaState(
    int epoch,
    ReplicaRole role,
    boolean isServing,
    boolean isSteady,
    List<Member> others,
    int backupCount,
    boolean isScattered) {
  /** The state before the first epoch. */
  static final ReplicaState INITIAL =
      new ReplicaState(0, ReplicaRole.NONE, false, true, List.of(), 0, false);

  /** The state after the last epoch. */
  static final ReplicaState RETIRED =
      new ReplicaState(Integer.MAX_VALUE, ReplicaRole.NONE, false, true, List.of(), 0, false);

  /** The state after entering an epoch. */
  static ReplicaState ofEntered(SegmentOwnership ownership, ReplicaRole role, Member self) {
    boolean leads = role == ReplicaRole.PRIMARY;
    if (!ownership.holders().isEmpty()) {
      return new ReplicaState(
          ownership.epoch(),
          role,
          false,
          false,
          leads ? ownership.assignableHolders() : List.of(),
          0,
          true);
    }
    return new ReplicaState(
        ownership.epoch(),
        role,
        false,
        ownership.joiners().isEmpty(),
        leads
            ? ownership.writers().stream().filter(member -> !member.equals(self)).toList()
            : List.of(),
        leads ? ownership.owners().size() - 1 : 0,
        false);
  }

  /** Whether the state has not changed since, so that what was read in between is valid. */
  public boolean isSameAs(ReplicaState later) {
    return epoch == later.epoch && isServing == later.isServing;
  }

  /** Whether the segment may be read here. Dirty entries may be read at the primary only. */
  public boolean isReadable() {
    return isServing && (role == ReplicaRole.PRIMARY || role == ReplicaRole.BACKUP);
  }

  /** Whether this is the primary and serves the epoch. */
  public boolean isActivePrimary() {
    return isServing && role == ReplicaRole.PRIMARY;
  }

  ReplicaState asServing() {
    return new ReplicaState(epoch, role, true, isSteady, others, backupCount, isScattered);
  }
}
