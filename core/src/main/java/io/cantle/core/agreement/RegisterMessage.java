package io.cantle.core.agreement;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A message between the proposer of a topology and a voter.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface RegisterMessage extends Message {
  /**
   * A proposer asks for a promise to obey it.
   *
   * @param ballot the ballot of the proposer
   * @param base the topology that the round starts from
   */
  record Prepare(Ballot ballot, Topology base) implements RegisterMessage {}

  /**
   * A voter promises to obey.
   *
   * @param baseNumber the topology that the round starts from
   * @param ballot the ballot that it obeys
   * @param acceptedBallot the ballot in which it has accepted a topology
   * @param accepted that topology, if any
   */
  record Promised(
      long baseNumber, Ballot ballot, Ballot acceptedBallot, @Nullable Topology accepted)
      implements RegisterMessage {}

  /**
   * A proposer asks a voter to accept a topology.
   *
   * @param ballot the ballot of the proposer
   * @param next the topology
   * @param waitNanos how long the proposer itself waits for the leases of excluded members
   */
  record Accept(Ballot ballot, Topology next, long waitNanos) implements RegisterMessage {}

  /** A voter has accepted the topology of this number. */
  record Accepted(long number, Ballot ballot) implements RegisterMessage {}

  /** A voter obeys a higher ballot. */
  record Rejected(Ballot higher) implements RegisterMessage {}

  /** What the receiver accepted in this ballot is decided. */
  record Decided(long number, Ballot ballot) implements RegisterMessage {}

  @Override
  default MessageKind kind() {
    return switch (this) {
      case Prepare _ -> MessageKind.PREPARE;
      case Promised _ -> MessageKind.PROMISED;
      case Accept _ -> MessageKind.ACCEPT;
      case Accepted _ -> MessageKind.ACCEPTED;
      case Rejected _ -> MessageKind.REJECTED;
      case Decided _ -> MessageKind.DECIDED;
    };
  }

  @Override
  default void write(Output out) {
    write(out, Topology::write);
  }

  /** Writes the body, and has a topology in it written by {@code topologyWriter}. */
  default void write(Output out, BiConsumer<Topology, Output> topologyWriter) {
    switch (this) {
      case Prepare(Ballot ballot, Topology base) -> {
        ballot.write(out);
        topologyWriter.accept(base, out);
      }
      case Promised(long base, Ballot ballot, Ballot acceptedBallot, Topology accepted) -> {
        out.writeLong(base);
        ballot.write(out);
        acceptedBallot.write(out);
        out.writeOptional(accepted, topology -> topologyWriter.accept(topology, out));
      }
      case Accept(Ballot ballot, Topology next, long waitNanos) -> {
        ballot.write(out);
        topologyWriter.accept(next, out);
        out.writeLong(waitNanos);
      }
      case Accepted(long number, Ballot ballot) -> {
        out.writeLong(number);
        ballot.write(out);
      }
      case Rejected(Ballot higher) -> higher.write(out);
      case Decided(long number, Ballot ballot) -> {
        out.writeLong(number);
        ballot.write(out);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  static RegisterMessage read(MessageKind kind, Input in) {
    return in.requireEndAfter(
        switch (kind) {
          case PREPARE -> new Prepare(Ballot.read(in), Topology.read(in));
          case PROMISED ->
              new Promised(
                  in.readLong(), Ballot.read(in), Ballot.read(in), in.readOptional(Topology::read));
          case ACCEPT -> new Accept(Ballot.read(in), Topology.read(in), in.readLong());
          case ACCEPTED -> new Accepted(in.readLong(), Ballot.read(in));
          case REJECTED -> new Rejected(Ballot.read(in));
          case DECIDED -> new Decided(in.readLong(), Ballot.read(in));
          default -> throw new IllegalArgumentException(kind + " is not about a round");
        });
  }
}
