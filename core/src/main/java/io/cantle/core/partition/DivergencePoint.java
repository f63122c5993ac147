package io.cantle.core.partition;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.base.WriteProvenance;
import io.cantle.core.container.Entry;

/**
 * How far a replica had come when it left a grid. Everything it holds up to this point is held by
 * every other owner there too. What either side holds beyond it was written separately, or was
 * still being replicated.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param enteredEpoch the epoch the replica was in
 * @param lastCommon the last version that all owners hold
 * @param stamp the latest stamp of what all owners hold, 0 for none
 */
public record DivergencePoint(int enteredEpoch, Version lastCommon, long stamp) {
  /** The two sides hold nothing in common. */
  public static final DivergencePoint NOTHING_IN_COMMON = new DivergencePoint(0, Version.NONE, 0);

  /** Whether an entry was changed after the sides diverged: it was written, or it has expired. */
  boolean precedes(Entry entry) {
    return entry.isTombstone() ? precedesVersion(entry) : precedesWrite(entry);
  }

  /**
   * Whether an entry was written by a caller after the sides diverged. Recording a read, or ending
   * an expired entry, makes a new version but is not a caller's write: the stamp stays. A caller's
   * write has a later stamp than every stamp its primary has seen.
   */
  public boolean precedesWrite(Entry entry) {
    return precedesVersion(entry)
        && (stamp == 0 || entry.provenance() != WriteProvenance.LOCAL || entry.stamp() > stamp);
  }

  /** The same point without the stamp: every entry with a later version then counts as written. */
  DivergencePoint withoutStamp() {
    return new DivergencePoint(enteredEpoch, lastCommon, 0);
  }

  private boolean precedesVersion(Entry entry) {
    return entry.compareVersion(lastCommon) > 0;
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeVarint(enteredEpoch);
    lastCommon.write(out);
    out.writeLong(stamp);
  }

  /** Reads what {@link #write} wrote. */
  public static DivergencePoint read(Input in) {
    return new DivergencePoint(in.readCount(), Version.read(in), in.readLong());
  }
}
