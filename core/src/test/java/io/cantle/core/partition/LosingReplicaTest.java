package io.cantle.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.segment.SegmentTime;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests which part of a losing replica is merged, and which entries predate the divergence. */
final class LosingReplicaTest {
  private static final UUID FORK = new UUID(8, 8);

  private final Member a = ManualNetwork.member("a");
  private final CacheDefinition cache =
      new CacheDefinition("users", CacheConfig.distributed().segments(1));
  private final Entry earlier = Entry.of(1, new byte[] {1, 2}, 1, 3, 7, false, 0, null);
  private final Entry later = Entry.of(1, new byte[] {1, 2}, 1, 4, 1, false, 8, null);
  private final Entry readLater = Entry.of(1, new byte[] {1, 2}, 1, 4, 2, false, 6, null);
  private final Entry endedLater = Entry.of(1, new byte[] {1}, 1, 4, 3, true, 6, null);
  private final Entry removedEarlier = Entry.of(1, new byte[] {1}, 1, 3, 6, true, 0, null);

  private Topology into(int born) {
    SegmentOwnership segment =
        new SegmentOwnership(9, born, List.of(a), List.of(a), List.of(), List.of(), List.of());
    return TopologyFixture.of(
        9, 3, List.of(a), List.of(new Topology.CacheOwnership(0, 0, cache, List.of(segment))));
  }

  private LosingReplica copy(UUID grid, GridLineage lineage, Map<UUID, DivergencePoint> partings) {
    return new LosingReplica(
        cache,
        new CacheIdentity(grid, lineage, 0, 0),
        0,
        7,
        List.of(a),
        new ReplicaProgress(1, 4, true),
        new DivergencePoint(4, new Version(3, 9), 0),
        partings,
        List.of(earlier, later),
        new SegmentTime(0, 0));
  }

  private LosingReplica ofFork() {
    GridLineage lineage =
        new GridLineage(List.of(new GridLineage.ForkStep(TopologyFixture.GRID, 5, 2)));
    return copy(
        FORK, lineage, Map.of(TopologyFixture.GRID, new DivergencePoint(3, new Version(3, 9), 7)));
  }

  @Test
  void onlyWritesSinceTheForkAreMerged() {
    LosingReplica.MergeScope part = Objects.requireNonNull(ofFork().mergeScope(into(1), 0));
    assertThat(part.contains(earlier)).isFalse();
    assertThat(part.contains(removedEarlier)).isFalse();
    assertThat(part.contains(later)).isTrue();
    assertThat(part.isFromBeforeDivergence(later)).isFalse();
    assertThat(part.contains(readLater)).as("a recorded read is not a write").isFalse();
    assertThat(part.contains(endedLater)).as("an expired entry does not come back").isTrue();
    assertThat(part.commonPoint().precedesWrite(readLater)).isFalse();
    assertThat(part.commonPoint().precedesWrite(endedLater)).isFalse();
    assertThat(part.commonPoint().precedesWrite(later)).isTrue();
  }

  @Test
  void everythingIsMergedIfTheSegmentBeganEmptySinceTheFork() {
    LosingReplica.MergeScope part = Objects.requireNonNull(ofFork().mergeScope(into(8), 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.contains(removedEarlier)).as("an older replica may have it").isTrue();
    assertThat(part.isFromBeforeDivergence(readLater)).isTrue();
    assertThat(part.commonPoint().precedesWrite(readLater))
        .as("the others do not know the earlier stamps")
        .isTrue();
    assertThat(part.isFromBeforeDivergence(earlier)).isTrue();
    assertThat(part.isFromBeforeDivergence(later)).isFalse();
  }

  @Test
  void sameGridMergesNothingUnlessTheSegmentBeganEmpty() {
    LosingReplica own = copy(TopologyFixture.GRID, GridLineage.NONE, Map.of());
    assertThat(own.mergeScope(into(1), 0)).isNull();
    LosingReplica.MergeScope part = Objects.requireNonNull(own.mergeScope(into(8), 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.isFromBeforeDivergence(earlier)).isTrue();
    assertThat(part.isFromBeforeDivergence(later))
        .as("it was being replicated when the grid ended")
        .isTrue();
  }

  @Test
  void everythingOfAnUnrelatedGridIsMergedAsNew() {
    LosingReplica.MergeScope part =
        Objects.requireNonNull(copy(FORK, GridLineage.NONE, Map.of()).mergeScope(into(1), 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.isFromBeforeDivergence(earlier)).isFalse();
  }

  /** A grid that left the common one at a topology, at which its primary was in that epoch. */
  private Topology forkLeftAt(long number, int born) {
    Topology parent = into(born);
    GridDefinition fork =
        new GridDefinition(
            new UUID(7, 7),
            0,
            3,
            PartitionHandling.NEWER,
            new GridLineage(List.of(new GridLineage.ForkStep(TopologyFixture.GRID, number, 1))),
            true,
            false,
            false);
    return new Topology(9, fork, parent.membership(), parent.caches());
  }

  @Test
  void onlyAGridThatLeftEarlierMustBeAskedHowFarItHadCome() {
    assertThat(ofFork().gridLeftEarlierBy(into(1), 0)).isNull();
    assertThat(ofFork().gridLeftEarlierBy(forkLeftAt(5, 1), 0)).isNull();
    assertThat(ofFork().gridLeftEarlierBy(forkLeftAt(4, 1), 0)).isEqualTo(TopologyFixture.GRID);
    LosingReplica own = copy(TopologyFixture.GRID, GridLineage.NONE, Map.of());
    assertThat(own.gridLeftEarlierBy(forkLeftAt(7, 1), 0)).isNull();
    assertThat(own.gridLeftEarlierBy(forkLeftAt(6, 1), 0)).isEqualTo(TopologyFixture.GRID);
    assertThat(copy(FORK, GridLineage.NONE, Map.of()).gridLeftEarlierBy(into(1), 0))
        .as("unrelated")
        .isNull();
  }

  @Test
  void writesSinceTheOtherGridLeftEarlierAreMerged() {
    SegmentOwnership segment = forkLeftAt(4, 1).ownership(0, 0);
    LosingReplica.MergeScope part =
        ofFork()
            .mergeScope(
                segment, TopologyFixture.GRID, new DivergencePoint(2, new Version(2, 6), 0));
    assertThat(part.contains(earlier)).as("of epoch 3, which that grid never entered").isTrue();
    assertThat(part.isFromBeforeDivergence(earlier)).isFalse();
    assertThat(part.commonPoint().precedesWrite(earlier)).isTrue();
    LosingReplica.MergeScope ahead =
        ofFork()
            .mergeScope(
                segment, TopologyFixture.GRID, new DivergencePoint(3, new Version(3, 6), 0));
    assertThat(ahead.contains(earlier)).as("of an epoch which both entered").isFalse();
    assertThat(ahead.contains(later)).isTrue();
  }

  /** The other grid may have lost the entries and made later ones in epochs of the same numbers. */
  private void assertStampsDecide(LosingReplica.MergeScope part) {
    assertThat(part.isByStampOnly()).isTrue();
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.contains(removedEarlier)).isTrue();
    assertThat(part.isFromBeforeDivergence(earlier)).isFalse();
    assertThat(part.commonPoint().precedesWrite(earlier)).isTrue();
  }

  @Test
  void stampsDecideIfTheSegmentBeganEmptyInAGridThatLeftEarlier() {
    // Its first epoch has the number of one that the replica entered in the common grid.
    SegmentOwnership segment = forkLeftAt(4, 3).ownership(0, 0);
    assertStampsDecide(ofFork().mergeScope(segment, TopologyFixture.GRID, null));
  }

  @Test
  void stampsDecideIfTheSegmentBeganEmptyInTheCommonGridSinceTheOtherLeft() {
    SegmentOwnership segment = forkLeftAt(4, 0).ownership(0, 0);
    assertStampsDecide(
        ofFork()
            .mergeScope(
                segment, TopologyFixture.GRID, new DivergencePoint(0, new Version(0, 6), 0)));
  }

  @Test
  void everythingOfAnotherCacheOfTheSameNameIsMergedAsNew() {
    CacheDefinition other = new CacheDefinition("users", CacheConfig.distributed().segments(4));
    List<SegmentOwnership> segments = Collections.nCopies(4, TopologyFixture.owned(1, a));
    Topology into =
        TopologyFixture.of(
            9, 3, List.of(a), List.of(new Topology.CacheOwnership(0, 9, other, segments)));
    GridLineage lineage =
        new GridLineage(List.of(new GridLineage.ForkStep(TopologyFixture.GRID, 5, 2)));
    LosingReplica createdInTheFork =
        new LosingReplica(
            cache,
            new CacheIdentity(FORK, lineage, 0, 6),
            0,
            7,
            List.of(a),
            new ReplicaProgress(1, 4, true),
            new DivergencePoint(4, new Version(3, 9), 0),
            Map.of(),
            List.of(earlier, later),
            new SegmentTime(0, 0));
    assertThat(createdInTheFork.identity().fateIn(into)).isEqualTo(CacheFate.UNKNOWN);
    LosingReplica.MergeScope part = Objects.requireNonNull(createdInTheFork.mergeScope(into, 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.isFromBeforeDivergence(earlier)).isFalse();
  }

  /** Such a grid has no cache of the one that was lost, whose numbers and indexes begin anew. */
  @Test
  void cacheOfAGridThatWasFoundedAnewIsNoneOfTheLostOne() {
    GridLineage anew =
        new GridLineage(List.of(new GridLineage.ForkStep(TopologyFixture.GRID, 5, 0)));
    for (int index = 0; index < 2; index++) {
      assertThat(new CacheIdentity(FORK, anew, index, 3).fateIn(into(1)))
          .as("index %s", index)
          .isEqualTo(CacheFate.UNKNOWN);
    }
  }

  @Test
  void cacheThatTheContinuingGridHasDestroyedIsKnownAsDestroyed() {
    Topology parent = into(1);
    Topology destroyed =
        new Topology(
            parent.number() + 1,
            parent.gridDefinition(),
            parent.membership(),
            new CacheCatalog(List.of(), new TreeMap<>(), 1, parent.number() + 1));
    assertThat(ofFork().identity().fateIn(parent)).isEqualTo(CacheFate.PRESENT);
    assertThat(ofFork().identity().fateIn(destroyed)).isEqualTo(CacheFate.DESTROYED);
    assertThat(ofFork().valuesLackedBy(destroyed)).as("written since the fork").isEqualTo(1);
    assertThat(copy(TopologyFixture.GRID, GridLineage.NONE, Map.of()).valuesLackedBy(destroyed))
        .as("written in the grid that destroyed it")
        .isZero();
  }
}
