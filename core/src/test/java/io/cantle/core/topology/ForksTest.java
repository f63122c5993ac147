package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How a fork begins: with the copies its members have, and nothing it could confuse. */
final class ForksTest {
  private static final UUID ONE = new UUID(4, 1);
  private static final UUID OTHER = new UUID(4, 2);

  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final Member d = HandNetwork.member("d");

  private Topology parent(Ownership... segments) {
    CacheDefinition cache =
        new CacheDefinition("users", CacheConfig.distributed().segments(segments.length));
    return new Topology(
        20,
        Charter.founded(new UUID(1, 1), 3, 7, Mode.NEWER),
        HandTopology.membership(List.of(a, b, c, d), false),
        List.of(new Topology.CacheOwnership(cache, List.of(segments))));
  }

  private static List<Integer> epochs(Topology topology) {
    List<Integer> epochs = new ArrayList<>();
    topology.caches().getFirst().segments().forEach(segment -> epochs.add(segment.epoch()));
    return epochs;
  }

  @Test
  void everySegmentBeginsInOneEpochAboveAllThatEverWere() {
    Topology parent =
        parent(HandTopology.owned(3, a, b), HandTopology.owned(9, c, a), HandTopology.owned(5, c));
    Topology fork = ForkPlanner.first(parent, List.of(a, b), ONE);
    assertThat(epochs(fork)).allMatch(epoch -> epoch > 9).hasSize(3);
    assertThat(epochs(fork).stream().distinct()).hasSize(1);
  }

  @Test
  void itsOwnersAreThoseThatTakePartAndWhatNobodyHoldsBeginsEmpty() {
    Topology parent =
        parent(HandTopology.owned(3, a, b), HandTopology.owned(9, c, a), HandTopology.owned(5, c));
    Topology fork = ForkPlanner.first(parent, List.of(a, b), ONE);
    assertThat(fork.members()).containsExactly(a, b);
    assertThat(fork.ownership(0, 0).owners()).containsExactly(a, b);
    assertThat(fork.ownership(0, 0).born()).isEqualTo(1);
    assertThat(fork.ownership(0, 1).owners()).containsExactly(a);
    assertThat(fork.ownership(0, 1).born()).isEqualTo(1);
    Ownership empty = fork.ownership(0, 2);
    assertThat(empty.owners()).isNotEmpty().doesNotContain(c);
    assertThat(empty.born()).isEqualTo(empty.epoch());
  }

  @Test
  void whoWasFetchingGoesOnAsAJoinerSinceTheSameTimeOrAnew() {
    Ownership moving =
        new Ownership(
            6, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 4)), List.of(), List.of());
    Topology fork = ForkPlanner.first(parent(moving), List.of(a, b), ONE);
    assertThat(fork.ownership(0, 0).joiners())
        .allMatch(joiner -> joiner.since() == 4 || joiner.since() == fork.ownership(0, 0).epoch());
    assertThat(fork.ownership(0, 0).owners()).containsExactly(a);
  }

  @Test
  void twoForksOfOneParentAreToldApartAndKnowEachOther() {
    Topology parent = parent(HandTopology.owned(3, a, c));
    Topology one = ForkPlanner.first(parent, List.of(a, b), ONE);
    Topology other = ForkPlanner.first(parent, List.of(c, d), OTHER);
    assertThat(one.gridId()).isNotEqualTo(other.gridId());
    Descent ofOne = one.charter().descent();
    Descent ofOther = other.charter().descent();
    assertThat(Descent.common(ONE, ofOne, OTHER, ofOther)).isEqualTo(parent.gridId());
    assertThat(Descent.goesOn(ONE, ofOne, OTHER, ofOther))
        .isNotEqualTo(Descent.goesOn(OTHER, ofOther, ONE, ofOne));
    assertThat(Descent.goesOn(parent.gridId(), parent.charter().descent(), ONE, ofOne)).isTrue();
  }

  @Test
  void aForkOfAForkRemembersBothAndItsEpochsGoOn() {
    Topology parent = parent(HandTopology.owned(3, a, b, c));
    Topology outer = ForkPlanner.first(parent, List.of(a, b), ONE);
    Topology inner = ForkPlanner.first(outer, List.of(b), OTHER);
    assertThat(inner.charter().descent().steps())
        .extracting(Descent.Step::grid)
        .containsExactly(parent.gridId(), ONE);
    assertThat(inner.ownership(0, 0).epoch()).isGreaterThan(outer.ownership(0, 0).epoch());
    assertThat(inner.ownership(0, 0).owners()).containsExactly(b);
    assertThat(Descent.goesOn(ONE, outer.charter().descent(), OTHER, inner.charter().descent()))
        .isTrue();
  }
}
