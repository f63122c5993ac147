package io.cantle.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.segment.SegmentTime;
import io.cantle.core.transport.ManualNetwork;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests what a node tells other nodes about a replica: merged means merged by itself, and
 * completely.
 */
final class MergeBacklogTest {
  private static final UUID GRID = new UUID(1, 2);
  private static final CacheDefinition CACHE =
      new CacheDefinition("users", CacheConfig.distributed());

  private final MergeBacklog mergeBacklog = new MergeBacklog();
  private Topology topology = withBirth(3, 1);

  private static LosingReplica copy(ReplicaProgress progress) {
    return new LosingReplica(
        CACHE,
        new CacheIdentity(GRID, GridLineage.NONE, 2, 0),
        3,
        1,
        List.of(),
        progress,
        DivergencePoint.NOTHING_IN_COMMON,
        Map.of(),
        List.of(),
        new SegmentTime(0, 0));
  }

  /** A grid whose cache is at index 2, with a segment that began empty in that epoch. */
  private static Topology withBirth(int segment, int birthEpoch) {
    List<SegmentOwnership> segments =
        IntStream.range(0, CACHE.config().segments())
            .mapToObj(
                one ->
                    new SegmentOwnership(
                        9,
                        one == segment ? birthEpoch : 1,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of()))
            .toList();
    return TopologyFixture.of(
        9,
        3,
        List.of(ManualNetwork.member("one")),
        List.of(new Topology.CacheOwnership(2, 0, CACHE, segments)));
  }

  private MergeBacklog.MergeStatus fate(ReplicaProgress progress) {
    return mergeBacklog.mergeStatus(
        GRID, 2, 3, progress, MergeBacklog.receivingBirthEpochs(topology, copy(progress)));
  }

  private void merge(ReplicaProgress progress) {
    mergeBacklog.add(copy(progress));
    mergeBacklog.markMerged(Objects.requireNonNull(mergeBacklog.poll()), topology);
  }

  @Test
  void unmergedReplicaBecomesMerged() {
    ReplicaProgress progress = new ReplicaProgress(1, 5, true);
    assertThat(fate(progress)).isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
    mergeBacklog.add(copy(progress));
    assertThat(fate(progress)).isEqualTo(MergeBacklog.MergeStatus.UNMERGED);
    LosingReplica taken = Objects.requireNonNull(mergeBacklog.poll());
    assertThat(fate(progress))
        .as("while it is being merged")
        .isEqualTo(MergeBacklog.MergeStatus.UNMERGED);
    assertThat(mergeBacklog.markMerged(taken, topology)).isTrue();
    assertThat(fate(progress)).isEqualTo(MergeBacklog.MergeStatus.MERGED);
    assertThat(mergeBacklog.isEmpty()).isTrue();
  }

  @Test
  void earlierMergeDoesNotCoverLaterWrites() {
    merge(new ReplicaProgress(1, 5, true));
    assertThat(fate(new ReplicaProgress(1, 4, true))).isEqualTo(MergeBacklog.MergeStatus.MERGED);
    assertThat(fate(new ReplicaProgress(1, 6, true))).isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
    assertThat(fate(new ReplicaProgress(2, 4, true)))
        .as("begun empty")
        .isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
  }

  @Test
  void whatTheOwnersTookWithThemIsNotMerged() {
    ReplicaProgress progress = new ReplicaProgress(1, 5, true);
    merge(progress);
    topology = withBirth(4, 8);
    assertThat(fate(progress)).as("another segment").isEqualTo(MergeBacklog.MergeStatus.MERGED);
    topology = withBirth(3, 8);
    assertThat(fate(progress)).as("begun empty").isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
  }

  /** Where the cache was destroyed there are no segments to compare, and nothing more to merge. */
  @Test
  void whatWasMergedBeforeItsCacheWasDestroyedIsMerged() {
    ReplicaProgress progress = new ReplicaProgress(1, 5, true);
    merge(progress);
    assertThat(mergeBacklog.mergeStatus(GRID, 2, 3, progress, List.of()))
        .isEqualTo(MergeBacklog.MergeStatus.MERGED);
    assertThat(mergeBacklog.mergeStatus(GRID, 2, 3, new ReplicaProgress(1, 6, true), List.of()))
        .as("written since")
        .isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
  }

  @Test
  void replicaOfAnExcludedOwnerDoesNotCoverOneThatContinued() {
    merge(new ReplicaProgress(1, 5, false));
    assertThat(fate(new ReplicaProgress(1, 5, true))).isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
    assertThat(fate(new ReplicaProgress(1, 5, false))).isEqualTo(MergeBacklog.MergeStatus.MERGED);
  }

  @Test
  void bothReplicasOfASegmentMustBeMerged() {
    mergeBacklog.add(copy(new ReplicaProgress(1, 5, true)));
    mergeBacklog.add(copy(new ReplicaProgress(6, 7, true)));
    assertThat(mergeBacklog.markMerged(Objects.requireNonNull(mergeBacklog.poll()), topology))
        .isFalse();
    assertThat(mergeBacklog.isEmpty()).isFalse();
    assertThat(fate(new ReplicaProgress(6, 7, true))).isEqualTo(MergeBacklog.MergeStatus.UNMERGED);
    assertThat(fate(new ReplicaProgress(1, 5, true))).isEqualTo(MergeBacklog.MergeStatus.MERGED);
    assertThat(mergeBacklog.markMerged(Objects.requireNonNull(mergeBacklog.poll()), topology))
        .isTrue();
    assertThat(mergeBacklog.isEmpty()).isTrue();
  }
}
