package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import io.cantle.simulation.probe.NodeProbe.SegmentRole;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that memory off the heap goes where the segments go. */
final class OffHeapMemoryTest {
  private static final int SEGMENTS = 16;

  /** The first slab of a segment, and what may be free in the others. */
  private static final int SPARE_BYTES = 2 * 8_192;

  private static final CacheConfig ONE_OWNER =
      CacheConfig.distributed().owners(1).segments(SEGMENTS).container(ContainerKind.OFF_HEAP);

  private static long reservedBytes(StageNode node) {
    return node.node().inspector().offHeapMemory().reservedBytes();
  }

  /** Checks that a node has memory for the segments that it owns, and for nothing else. */
  private static void checkReserved(StageNode node) {
    int cache = node.inspection().topology().cacheIndex(ScriptedStage.CACHE);
    long owned =
        IntStream.range(0, SEGMENTS)
            .filter(segment -> node.inspection().roleOf(cache, segment) == SegmentRole.OWNER)
            .count();
    long held = node.inspection().heldFigures(cache).bytes();
    assertThat(owned).isPositive();
    assertThat(reservedBytes(node)).isBetween(held, held + owned * SPARE_BYTES);
  }

  @Test
  void memoryReturnsWhenSegmentsGoToAnotherNode() {
    StageScript.play(
        stage -> {
          StageNode first = stage.startGrid(1, ONE_OWNER).getFirst();
          assertThat(reservedBytes(first)).isZero();
          ImmutableEntries data = new ImmutableEntries(400, 1_000).putInto(first);
          checkReserved(first);
          long all = reservedBytes(first);
          for (int round = 0; round < 3; round++) {
            StageNode other = stage.startNode("other-" + round);
            other.awaitJoined();
            stage.awaitSettled();
            data.checkAt(other);
            checkReserved(first);
            checkReserved(other);
            assertThat(reservedBytes(first)).isLessThan(all * 3 / 4);
            other.leave().value();
            assertThat(reservedBytes(other)).isZero();
            stage.awaitSettled();
            data.checkAt(first);
            checkReserved(first);
          }
          first.call(
              () -> {
                first.cache().clear();
                return true;
              });
          assertThat(reservedBytes(first)).isLessThanOrEqualTo(SEGMENTS * 8_192);
          stage.settle();
        });
  }
}
