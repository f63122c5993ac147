package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.segment.Seat;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of which topologies a node takes note that has left their grid before. */
final class PastTest {
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Past past = new Past();

  private Topology with(Ownership segment, long admitted) {
    Topology known = HandTopology.withSegment(segment, a, b);
    Membership membership =
        new Membership(
            List.of(a, b),
            List.of(1L, admitted),
            List.of(Seat.USUAL, Seat.USUAL),
            List.of(a),
            1,
            List.of());
    return new Topology(9, known.charter(), membership, known.caches());
  }

  @Test
  void whoWasNeverThereIsAdmitted() {
    assertThat(past.admits(with(HandTopology.owned(4, a, b), 9), b)).isTrue();
  }

  @Test
  void whoHasLeftIsNotMeantByAnEarlierAdmission() {
    past.left(with(HandTopology.owned(4, a), 5));
    Topology stillThere = with(HandTopology.owned(4, a), 5);
    assertThat(past.admits(stillThere, b)).isFalse();
  }

  @Test
  void whoHasLeftMayJoinAgainButNotOwnWhatItDropped() {
    Topology before = HandTopology.withSegment(HandTopology.owned(4, a), a, b);
    past.left(new Topology(7, before.charter(), before.membership(), before.caches()));
    Ownership joining =
        new Ownership(
            5, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 5)), List.of(), List.of());
    assertThat(past.admits(with(joining, 9), b)).isTrue();
    assertThat(past.admits(with(HandTopology.owned(5, a, b), 9), b)).isFalse();
    assertThat(past.admits(with(Ownership.empty(5, List.of(b), List.of()), 9), b))
        .as("what begins empty needs no copy")
        .isTrue();
  }
}
