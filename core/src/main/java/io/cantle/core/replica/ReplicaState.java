package io.cantle.core.replica;

import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * Which part a copy has.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param epoch the epoch entered last
 * @param role what it is in it
 * @param serving whether the epoch is known to be served
 * @param steady whether nobody joins
 * @param others for a primary: the other writers, backups before joiners
 * @param backups how many of the others are backups
 */
public record ReplicaState(
    int epoch, Role role, boolean serving, boolean steady, List<Member> others, int backups) {
  /** Before the first epoch. */
  static final ReplicaState NOTHING = new ReplicaState(0, Role.NONE, false, true, List.of(), 0);

  /** After the last one. */
  static final ReplicaState RETIRED =
      new ReplicaState(Integer.MAX_VALUE, Role.NONE, false, true, List.of(), 0);

  /** Of an epoch that is entered. */
  static ReplicaState entered(Ownership ownership, Role role, Member self) {
    boolean leads = role == Role.PRIMARY;
    return new ReplicaState(
        ownership.epoch(),
        role,
        false,
        ownership.joiners().isEmpty(),
        leads
            ? ownership.writers().stream().filter(member -> !member.equals(self)).toList()
            : List.of(),
        leads ? ownership.owners().size() - 1 : 0);
  }

  /** Whether nothing has changed since: what was read in between counts. */
  public boolean same(ReplicaState later) {
    return epoch == later.epoch && serving == later.serving;
  }

  /** Whether the segment may be read here: what is dirty, only if this is the primary. */
  public boolean readable() {
    return serving && (role == Role.PRIMARY || role == Role.BACKUP);
  }

  /** Whether this is a primary at work. */
  public boolean leads() {
    return serving && role == Role.PRIMARY;
  }

  ReplicaState served() {
    return new ReplicaState(epoch, role, true, steady, others, backups);
  }
}
