package io.cantle.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.segment.SegmentTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
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

  private MergeBacklog.MergeStatus fate(ReplicaProgress progress) {
    return mergeBacklog.mergeStatus(GRID, 2, 3, progress);
  }

  private void merge(ReplicaProgress progress) {
    mergeBacklog.add(copy(progress));
    mergeBacklog.markMerged(Objects.requireNonNull(mergeBacklog.poll()));
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
    assertThat(mergeBacklog.markMerged(taken)).isTrue();
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
  void replicaOfAnExcludedOwnerDoesNotCoverOneThatContinued() {
    merge(new ReplicaProgress(1, 5, false));
    assertThat(fate(new ReplicaProgress(1, 5, true))).isEqualTo(MergeBacklog.MergeStatus.UNKNOWN);
    assertThat(fate(new ReplicaProgress(1, 5, false))).isEqualTo(MergeBacklog.MergeStatus.MERGED);
  }

  @Test
  void bothReplicasOfASegmentMustBeMerged() {
    mergeBacklog.add(copy(new ReplicaProgress(1, 5, true)));
    mergeBacklog.add(copy(new ReplicaProgress(6, 7, true)));
    assertThat(mergeBacklog.markMerged(Objects.requireNonNull(mergeBacklog.poll()))).isFalse();
    assertThat(mergeBacklog.isEmpty()).isFalse();
    assertThat(fate(new ReplicaProgress(6, 7, true))).isEqualTo(MergeBacklog.MergeStatus.UNMERGED);
    assertThat(fate(new ReplicaProgress(1, 5, true))).isEqualTo(MergeBacklog.MergeStatus.MERGED);
    assertThat(mergeBacklog.markMerged(Objects.requireNonNull(mergeBacklog.poll()))).isTrue();
    assertThat(mergeBacklog.isEmpty()).isTrue();
  }
}
