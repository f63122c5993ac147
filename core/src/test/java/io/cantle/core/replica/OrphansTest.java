package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Descent;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a node tells others that held the same: only what it had merged itself, and all of it. */
final class OrphansTest {
  private static final UUID GRID = new UUID(1, 2);
  private static final CacheDefinition CACHE =
      new CacheDefinition("users", CacheConfig.distributed());

  private final Orphans orphans = new Orphans();

  private static OrphanedCopy copy(Reach reach) {
    return new OrphanedCopy(
        CACHE,
        3,
        GRID,
        Descent.NONE,
        List.of(),
        reach,
        Parting.NEVER_TOGETHER,
        Map.of(),
        List.of(),
        new SegmentTime(0, 0));
  }

  private Orphans.Fate fate(Reach reach) {
    return orphans.fate(GRID, "users", 3, reach);
  }

  private void merge(Reach reach) {
    orphans.add(copy(reach));
    orphans.ended(Objects.requireNonNull(orphans.poll()));
  }

  @Test
  void whatIsOpenIsWaitedForAndThenMerged() {
    Reach reach = new Reach(1, 5, true);
    assertThat(fate(reach)).isEqualTo(Orphans.Fate.UNKNOWN);
    orphans.add(copy(reach));
    assertThat(fate(reach)).isEqualTo(Orphans.Fate.OPEN);
    OrphanedCopy taken = Objects.requireNonNull(orphans.poll());
    assertThat(fate(reach)).as("while it is worked on").isEqualTo(Orphans.Fate.OPEN);
    assertThat(orphans.ended(taken)).isTrue();
    assertThat(fate(reach)).isEqualTo(Orphans.Fate.MERGED);
    assertThat(orphans.isEmpty()).isTrue();
  }

  @Test
  void whatWasMergedEarlierDoesNotStandForWhatWasWrittenSince() {
    merge(new Reach(1, 5, true));
    assertThat(fate(new Reach(1, 4, true))).isEqualTo(Orphans.Fate.MERGED);
    assertThat(fate(new Reach(1, 6, true))).isEqualTo(Orphans.Fate.UNKNOWN);
    assertThat(fate(new Reach(2, 4, true))).as("begun empty").isEqualTo(Orphans.Fate.UNKNOWN);
  }

  @Test
  void theCopyOfAnExcludedOwnerDoesNotStandForOneThatWentOn() {
    merge(new Reach(1, 5, false));
    assertThat(fate(new Reach(1, 5, true))).isEqualTo(Orphans.Fate.UNKNOWN);
    assertThat(fate(new Reach(1, 5, false))).isEqualTo(Orphans.Fate.MERGED);
  }

  @Test
  void twoCopiesOfOneSegmentAreOpenUntilBothHaveEnded() {
    orphans.add(copy(new Reach(1, 5, true)));
    orphans.add(copy(new Reach(6, 7, true)));
    assertThat(orphans.ended(Objects.requireNonNull(orphans.poll()))).isFalse();
    assertThat(orphans.isEmpty()).isFalse();
    assertThat(fate(new Reach(6, 7, true))).isEqualTo(Orphans.Fate.OPEN);
    assertThat(fate(new Reach(1, 5, true))).isEqualTo(Orphans.Fate.MERGED);
    assertThat(orphans.ended(Objects.requireNonNull(orphans.poll()))).isTrue();
    assertThat(orphans.isEmpty()).isTrue();
  }
}
