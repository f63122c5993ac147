package io.cantle.core.agreement;

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
public record Ballot(long counter, UUID proposer) implements Comparable<Ballot> {
  /** Lower than every other ballot. */
  public static final Ballot NONE = new Ballot(0, new UUID(0, 0));

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

  /** Reads what {@link #write} wrote. */
  public static Ballot read(Input in) {
    return new Ballot(in.readVarint(), in.readId());
  }
}
