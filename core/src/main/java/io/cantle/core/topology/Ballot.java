package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.Comparator;
import java.util.UUID;

/**
 * The rank of a proposal: of two proposals, a voter obeys the one with the higher ballot.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param counter higher than every counter its proposer has seen before
 * @param proposer the member that proposes
 */
record Ballot(long counter, UUID proposer) implements Comparable<Ballot> {
  /** Lower than every other ballot. */
  static final Ballot NONE = new Ballot(0, new UUID(0, 0));

  private static final Comparator<Ballot> ORDER =
      Comparator.comparingLong(Ballot::counter).thenComparing(Ballot::proposer);

  @Override
  public int compareTo(Ballot other) {
    return ORDER.compare(this, other);
  }

  void write(Output out) {
    out.writeVarint(counter);
    out.writeId(proposer);
  }

  static Ballot read(Input in) {
    return new Ballot(in.readVarint(), in.readId());
  }
}
