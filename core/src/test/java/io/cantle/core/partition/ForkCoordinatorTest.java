package io.cantle.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.partition.ForkCoordinator.ForkEffect;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * How a fork begins: with the replicas of its members, and with nothing that could be confused with
 * another grid.
 */
final class ForkCoordinatorTest {
  private static final UUID ONE = new UUID(4, 1);
  private static final UUID OTHER = new UUID(4, 2);
  private static final long HALF_SECOND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Member d = ManualNetwork.member("d");

  private Topology parent(SegmentOwnership... segments) {
    CacheDefinition cache =
        new CacheDefinition("users", CacheConfig.distributed().segments(segments.length));
    return new Topology(
        20,
        GridDefinition.ofNewGrid(new UUID(1, 1), 3, 7, PartitionHandling.NEWER),
        TopologyFixture.membership(List.of(a, b, c, d), false),
        CacheCatalog.of(List.of(new Topology.CacheOwnership(0, 0, cache, List.of(segments)))));
  }

  private static List<Integer> epochs(Topology topology) {
    List<Integer> epochs = new ArrayList<>();
    topology.caches().getFirst().segments().forEach(segment -> epochs.add(segment.epoch()));
    return epochs;
  }

  @Test
  void cutOffNodeTellsOthersAndForksWithThoseThatAreCutOffToo() {
    Topology parent = parent(TopologyFixture.owned(3, a, b));
    ForkCoordinator coordinator = new ForkCoordinator(a);
    List<ForkEffect> reports =
        List.of(
            new ForkEffect.ReportCutOff(b),
            new ForkEffect.ReportCutOff(c),
            new ForkEffect.ReportCutOff(d));
    assertThat(coordinator.onCheck(parent, true, 0)).isEqualTo(reports);
    assertThat(
            coordinator.onCutOff(
                parent, c, new CutOffNotice(parent.gridId(), 20), HALF_SECOND_NANOS))
        .isEmpty();
    assertThat(coordinator.onCheck(parent, true, 2 * HALF_SECOND_NANOS))
        .hasSize(4)
        .containsAll(reports)
        .endsWith(new ForkEffect.CreateFork(List.of(a, c)));
  }

  @Test
  void nodeThatIsNotFirstOfThoseCutOffLeavesTheForkToTheFirst() {
    Topology parent = parent(TopologyFixture.owned(3, a, b));
    ForkCoordinator coordinator = new ForkCoordinator(b);
    coordinator.onCheck(parent, true, 0);
    coordinator.onCutOff(parent, a, new CutOffNotice(parent.gridId(), 20), HALF_SECOND_NANOS);
    assertThat(coordinator.onCheck(parent, true, 2 * HALF_SECOND_NANOS))
        .hasSize(3)
        .allMatch(effect -> effect instanceof ForkEffect.ReportCutOff);
  }

  @Test
  void memberThatIsBehindIsShownTheTopology() {
    Topology parent = parent(TopologyFixture.owned(3, a, b));
    ForkCoordinator coordinator = new ForkCoordinator(a);
    assertThat(coordinator.onCutOff(parent, b, new CutOffNotice(parent.gridId(), 19), 0))
        .containsExactly(new ForkEffect.SendCurrentTopology(b));
    assertThat(coordinator.onCutOff(parent, b, new CutOffNotice(OTHER, 30), 0))
        .containsExactly(new ForkEffect.SendCurrentTopology(b));
    assertThat(
            coordinator.onCutOff(parent, ManualNetwork.member("e"), new CutOffNotice(OTHER, 30), 0))
        .containsExactly(new ForkEffect.SendHello(ManualNetwork.member("e")));
  }

  @Test
  void forkStartsAllSegmentsAboveEveryEarlierEpoch() {
    Topology parent =
        parent(
            TopologyFixture.owned(3, a, b),
            TopologyFixture.owned(9, c, a),
            TopologyFixture.owned(5, c));
    Topology fork = ForkPlanner.firstTopology(parent, List.of(a, b), ONE);
    assertThat(epochs(fork)).allMatch(epoch -> epoch > 9).hasSize(3);
    assertThat(epochs(fork).stream().distinct()).hasSize(1);
  }

  @Test
  void forkKeepsParticipatingOwnersAndEmptiesOtherSegments() {
    Topology parent =
        parent(
            TopologyFixture.owned(3, a, b),
            TopologyFixture.owned(9, c, a),
            TopologyFixture.owned(5, c));
    Topology fork = ForkPlanner.firstTopology(parent, List.of(a, b), ONE);
    assertThat(fork.members()).containsExactly(a, b);
    assertThat(fork.ownership(0, 0).owners()).containsExactly(a, b);
    assertThat(fork.ownership(0, 0).birthEpoch()).isEqualTo(1);
    assertThat(fork.ownership(0, 1).owners()).containsExactly(a);
    assertThat(fork.ownership(0, 1).birthEpoch()).isEqualTo(1);
    SegmentOwnership empty = fork.ownership(0, 2);
    assertThat(empty.owners()).isNotEmpty().doesNotContain(c);
    assertThat(empty.birthEpoch()).isEqualTo(empty.epoch());
  }

  @Test
  void joinerContinuesInTheForkOrStartsAgain() {
    SegmentOwnership moving =
        new SegmentOwnership(
            6, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 4)), List.of(), List.of());
    Topology fork = ForkPlanner.firstTopology(parent(moving), List.of(a, b), ONE);
    assertThat(fork.ownership(0, 0).joiners())
        .allMatch(
            joiner ->
                joiner.sinceEpoch() == 4 || joiner.sinceEpoch() == fork.ownership(0, 0).epoch());
    assertThat(fork.ownership(0, 0).owners()).containsExactly(a);
  }

  @Test
  void forksOfOneParentDifferAndAreRelated() {
    Topology parent = parent(TopologyFixture.owned(3, a, c));
    Topology one = ForkPlanner.firstTopology(parent, List.of(a, b), ONE);
    Topology other = ForkPlanner.firstTopology(parent, List.of(c, d), OTHER);
    assertThat(one.gridId()).isNotEqualTo(other.gridId());
    GridLineage ofOne = one.gridDefinition().lineage();
    GridLineage ofOther = other.gridDefinition().lineage();
    assertThat(GridLineage.commonGrid(ONE, ofOne, OTHER, ofOther)).isEqualTo(parent.gridId());
    assertThat(GridLineage.prevails(ONE, ofOne, OTHER, ofOther))
        .isNotEqualTo(GridLineage.prevails(OTHER, ofOther, ONE, ofOne));
    assertThat(GridLineage.prevails(parent.gridId(), parent.gridDefinition().lineage(), ONE, ofOne))
        .isTrue();
  }

  @Test
  void forkOfAForkRemembersBothParents() {
    Topology parent = parent(TopologyFixture.owned(3, a, b, c));
    Topology outer = ForkPlanner.firstTopology(parent, List.of(a, b), ONE);
    Topology inner = ForkPlanner.firstTopology(outer, List.of(b), OTHER);
    assertThat(inner.gridDefinition().lineage().steps())
        .extracting(GridLineage.ForkStep::gridId)
        .containsExactly(parent.gridId(), ONE);
    assertThat(inner.ownership(0, 0).epoch()).isGreaterThan(outer.ownership(0, 0).epoch());
    assertThat(inner.ownership(0, 0).owners()).containsExactly(b);
    assertThat(
            GridLineage.prevails(
                ONE, outer.gridDefinition().lineage(), OTHER, inner.gridDefinition().lineage()))
        .isTrue();
  }
}
