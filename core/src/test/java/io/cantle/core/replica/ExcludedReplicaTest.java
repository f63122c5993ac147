package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.bytes;
import static io.cantle.core.replica.ManualReplica.hash;
import static io.cantle.core.replica.ManualReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests what becomes of an owner's replica when its node is excluded. A grid that prefers
 * availability keeps it until it is known that others serve the segment: a topology that says so
 * may be an old one.
 */
final class ExcludedReplicaTest {
  private static final UUID GRID = new UUID(1, 2);

  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  private static GridDefinition newDefinition(PartitionHandling mode) {
    return new GridDefinition(
        GRID, 0, ManualReplica.SEED, mode, GridLineage.NONE, true, false, false);
  }

  private boolean enter(SegmentOwnership ownership, PartitionHandling mode, boolean isMember) {
    return a.replica.enterEpoch(ownership, a.self, newDefinition(mode), isMember);
  }

  /** Makes a the only owner of a key. */
  private void createKey(PartitionHandling mode) {
    enter(ownership(1, a), mode, true);
    a.replica.takeOverLog(1, Map.of());
    a.replica.serveEpoch(1);
    byte[] key = bytes("k");
    a.replica.execute(
        () -> true,
        1,
        a.nextCommand(),
        hash("k"),
        key,
        0,
        key.length,
        found -> CommandEffect.put(bytes("k1"), OperationResult.ABSENT, true));
  }

  @ParameterizedTest
  @EnumSource(
      value = PartitionHandling.class,
      names = {"STOP", "NEWER"})
  void excludedReplicaIsMergedInAvailableGridsOnly(PartitionHandling mode) {
    createKey(mode);
    enter(ownership(3, b), mode, false);
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.NONE);
    assertThat(a.contents()).isEmpty();
    LosingReplica.FinalContents orphaned = a.replica.divergence().takeFinalContents();
    assertThat(orphaned != null).isEqualTo(mode == PartitionHandling.NEWER);
    if (orphaned != null) {
      assertThat(orphaned.isWhole()).isTrue();
      assertThat(orphaned.lastDivergence().enteredEpoch())
          .as("the index up to which it took part")
          .isEqualTo(1);
      assertThat(orphaned.entries()).hasSize(1);
    }
  }

  @Test
  void replacedMemberKeepsNothing() {
    createKey(PartitionHandling.NEWER);
    enter(ownership(3, b), PartitionHandling.NEWER, true);
    assertThat(a.contents()).isEmpty();
    assertThat(a.replica.divergence().takeFinalContents()).isNull();
  }

  @Test
  void possiblyNeededReplicaIsKeptUntilReadmission() {
    createKey(PartitionHandling.NEWER);
    List<Member> owners = List.of(b.self);
    enter(
        new SegmentOwnership(2, 1, owners, owners, List.of(), List.of(), List.of(a.self)),
        PartitionHandling.NEWER,
        false);
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.FORMER_OWNER);
    assertThat(a.replica.divergence().takeFinalContents()).isNull();
    assertThat(a.contents()).containsExactly("k=1");
    enter(ownership(3, List.of(b), List.of(a), 3), PartitionHandling.NEWER, true);
    assertThat(a.contents()).isEmpty();
    LosingReplica.FinalContents orphaned =
        Objects.requireNonNull(a.replica.divergence().takeFinalContents());
    assertThat(orphaned.isWhole()).as("it took no part in the last epoch").isFalse();
    assertThat(orphaned.lastDivergence().enteredEpoch()).isEqualTo(2);
  }

  @Test
  void readmittedOwnerContinuesWithItsReplica() {
    createKey(PartitionHandling.NEWER);
    List<Member> owners = List.of(b.self);
    enter(
        new SegmentOwnership(2, 1, owners, owners, List.of(), List.of(), List.of(a.self)),
        PartitionHandling.NEWER,
        false);
    enter(ownership(3, b, a), PartitionHandling.NEWER, true);
    assertThat(a.contents()).containsExactly("k=1");
    assertThat(a.replica.divergence().takeFinalContents()).isNull();
  }

  @Test
  void incompleteJoinerKeepsNothing() {
    enter(ownership(1, List.of(b), List.of(a), 1), PartitionHandling.NEWER, true);
    enter(ownership(2, b, c), PartitionHandling.NEWER, false);
    assertThat(a.replica.divergence().takeFinalContents()).isNull();
  }

  /** It may be the primary there one day, and is asked for it when another fork is merged. */
  @Test
  void onlyACompleteJoinerKnowsHowFarItHadComeWhenItEntersAFork() {
    GridDefinition fork =
        new GridDefinition(
            new UUID(3, 4),
            0,
            ManualReplica.SEED,
            PartitionHandling.NEWER,
            new GridLineage(List.of(new GridLineage.ForkStep(GRID, 5, 2))),
            true,
            false,
            false);
    for (ManualReplica joiner : List.of(a, c)) {
      SegmentOwnership joining = ownership(2, List.of(b), List.of(joiner), 2);
      joiner.replica.enterEpoch(joining, joiner.self, newDefinition(PartitionHandling.NEWER), true);
      boolean isComplete = joiner == a;
      joiner.replica.applyCommitIndex(2, 0);
      if (isComplete) {
        assertThat(joiner.transferred(2, 0, List.of(), SegmentCursor.END)).isTrue();
      }
      SegmentOwnership there = ownership(3, List.of(b), List.of(joiner), 2);
      joiner.replica.enterEpoch(there, joiner.self, fork, true);
      assertThat(joiner.replica.divergence().pointFrom(GRID) != null).isEqualTo(isComplete);
    }
  }
}
