package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.container.Entry;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Descent;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What of a copy the grid that goes on may lack, and what of that was there before. */
final class OrphanedCopyTest {
  private static final UUID FORK = new UUID(8, 8);

  private final Member a = HandNetwork.member("a");
  private final CacheDefinition cache =
      new CacheDefinition("users", CacheConfig.distributed().segments(1));
  private final Entry earlier = new Entry(1, new byte[] {1, 2}, 1, 3, 7, false);
  private final Entry later = Entry.of(1, new byte[] {1, 2}, 1, 4, 1, false, 8);
  private final Entry readLater = Entry.of(1, new byte[] {1, 2}, 1, 4, 2, false, 6);
  private final Entry endedLater = Entry.of(1, new byte[] {1}, 1, 4, 3, true, 6);
  private final Entry removedEarlier = new Entry(1, new byte[] {1}, 1, 3, 6, true);

  private Topology into(int born) {
    Ownership segment =
        new Ownership(9, born, List.of(a), List.of(a), List.of(), List.of(), List.of());
    return HandTopology.of(
        9, 3, List.of(a), List.of(new Topology.CacheOwnership(cache, List.of(segment))));
  }

  private OrphanedCopy copy(UUID grid, Descent descent, Map<UUID, Parting> partings) {
    return new OrphanedCopy(
        cache,
        0,
        grid,
        descent,
        List.of(a),
        new Reach(1, 4, true),
        new Parting(4, 3, 9, 0),
        partings,
        List.of(earlier, later),
        new SegmentTime(0, 0));
  }

  private OrphanedCopy ofFork() {
    Descent descent = new Descent(List.of(new Descent.Step(HandTopology.GRID, 5, 2)));
    return copy(FORK, descent, Map.of(HandTopology.GRID, new Parting(3, 3, 9, 7)));
  }

  @Test
  void ofAForkOnlyWhatItWroteSinceItLeft() {
    OrphanedCopy.Part part = Objects.requireNonNull(ofFork().part(into(1), 0));
    assertThat(part.contains(earlier)).isFalse();
    assertThat(part.contains(removedEarlier)).isFalse();
    assertThat(part.contains(later)).isTrue();
    assertThat(part.isOld(later)).isFalse();
    assertThat(part.contains(readLater)).as("to read is no write").isFalse();
    assertThat(part.contains(endedLater)).as("what has ended does not come back").isTrue();
    assertThat(part.together().isBeforeWrite(readLater)).isFalse();
    assertThat(part.together().isBeforeWrite(endedLater)).isFalse();
    assertThat(part.together().isBeforeWrite(later)).isTrue();
  }

  @Test
  void ofAForkEverythingWhereTheSegmentHasBegunEmptySince() {
    OrphanedCopy.Part part = Objects.requireNonNull(ofFork().part(into(8), 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.contains(removedEarlier)).as("an older copy may have it").isTrue();
    assertThat(part.isOld(readLater)).isTrue();
    assertThat(part.together().isBeforeWrite(readLater)).as("others do not know stamps").isTrue();
    assertThat(part.isOld(earlier)).isTrue();
    assertThat(part.isOld(later)).isFalse();
  }

  @Test
  void ofTheSameGridNothingUnlessTheSegmentHasBegunEmptyAndThenAllOfItIsFromBefore() {
    OrphanedCopy own = copy(HandTopology.GRID, Descent.NONE, Map.of());
    assertThat(own.part(into(1), 0)).isNull();
    OrphanedCopy.Part part = Objects.requireNonNull(own.part(into(8), 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.isOld(earlier)).isTrue();
    assertThat(part.isOld(later)).as("under way when it ended").isTrue();
  }

  @Test
  void ofStrangersEverythingAndNothingOfItIsFromBefore() {
    OrphanedCopy.Part part =
        Objects.requireNonNull(copy(FORK, Descent.NONE, Map.of()).part(into(1), 0));
    assertThat(part.contains(earlier)).isTrue();
    assertThat(part.isOld(earlier)).isFalse();
  }

  @Test
  void ofCacheThatEachSideOpenedInItsOwnWayEverythingAndNothingOfItIsFromBefore() {
    CacheDefinition other = new CacheDefinition("users", CacheConfig.distributed().segments(4));
    List<Ownership> segments = Collections.nCopies(4, HandTopology.owned(1, a));
    Topology into =
        HandTopology.of(9, 3, List.of(a), List.of(new Topology.CacheOwnership(other, segments)));
    for (OrphanedCopy copy : List.of(ofFork(), copy(HandTopology.GRID, Descent.NONE, Map.of()))) {
      OrphanedCopy.Part part = Objects.requireNonNull(copy.part(into, 0));
      assertThat(part.contains(earlier)).isTrue();
      assertThat(part.isOld(earlier)).isFalse();
    }
  }
}
