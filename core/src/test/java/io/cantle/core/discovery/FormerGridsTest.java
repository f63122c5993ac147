package io.cantle.core.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which topologies a node accepts from a grid that it has left before. */
final class FormerGridsTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final FormerGrids formerGrids = new FormerGrids();

  private Topology with(SegmentOwnership segment, long admitted) {
    Topology known = TopologyFixture.withSegment(segment, a, b);
    Membership membership =
        new Membership(
            List.of(a, b),
            List.of(1L, admitted),
            List.of(MemberCapacity.DEFAULT, MemberCapacity.DEFAULT),
            List.of(a),
            1,
            List.of(),
            List.of());
    return new Topology(9, known.gridDefinition(), membership, known.caches());
  }

  @Test
  void newMemberIsAdmitted() {
    assertThat(formerGrids.isAdmittedBy(with(TopologyFixture.owned(4, a, b), 9), b)).isTrue();
  }

  @Test
  void formerMemberIgnoresAnEarlierAdmission() {
    formerGrids.recordLeft(with(TopologyFixture.owned(4, a), 5));
    Topology stillThere = with(TopologyFixture.owned(4, a), 5);
    assertThat(formerGrids.isAdmittedBy(stillThere, b)).isFalse();
  }

  @Test
  void formerMemberMayRejoinButNotOwnDroppedSegments() {
    Topology before = TopologyFixture.withSegment(TopologyFixture.owned(4, a), a, b);
    formerGrids.recordLeft(
        new Topology(7, before.gridDefinition(), before.membership(), before.caches()));
    SegmentOwnership joining =
        new SegmentOwnership(
            5, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 5)), List.of(), List.of());
    assertThat(formerGrids.isAdmittedBy(with(joining, 9), b)).isTrue();
    assertThat(formerGrids.isAdmittedBy(with(TopologyFixture.owned(5, a, b), 9), b)).isFalse();
    assertThat(
            formerGrids.isAdmittedBy(with(SegmentOwnership.empty(5, List.of(b), List.of()), 9), b))
        .as("what begins empty needs no copy")
        .isTrue();
  }
}
