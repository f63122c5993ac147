package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What other sides of a partition do not know of a copy: how far it had come when it left the grids
 * it has left, and what it held when its segment began empty, or when its node was excluded.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class DivergenceHistory {
  /** Of how many grids that were left it is remembered how far the copy had come. */
  private static final int MAX_DIVERGENCE_POINTS = 32;

  /** What a copy held when it ended. */
  record FinalContents(
      boolean isWhole,
      DivergencePoint lastDivergence,
      Map<UUID, DivergencePoint> divergences,
      List<Entry> entries,
      SegmentTime segmentTime) {}

  private final LinkedHashMap<UUID, DivergencePoint> points = new LinkedHashMap<>();
  private @Nullable UUID currentGridId;
  private @Nullable FinalContents finalContents;

  /**
   * The copy goes on in a grid, which may be the one it is in.
   *
   * @param reached how far it has come, or null if it does not hold everything
   */
  void enterGrid(UUID next, @Nullable DivergencePoint reached) {
    UUID left = currentGridId;
    if (left != null && !left.equals(next) && reached != null) {
      points.put(left, reached);
      if (points.size() > MAX_DIVERGENCE_POINTS) {
        points.pollFirstEntry();
      }
    }
    currentGridId = next;
  }

  /** A copy that ends. */
  FinalContents createFinalContents(
      ReplicaState state, DivergencePoint reached, List<Entry> entries, SegmentTime time) {
    boolean whole = state.role() != ReplicaRole.FORMER_OWNER;
    return new FinalContents(whole, reached, Map.copyOf(points), entries, time);
  }

  /** The copy is about to be dropped: what it held is kept until it is asked for. */
  void keepFinalContents(FinalContents held) {
    finalContents = held;
  }

  @Nullable FinalContents takeFinalContents() {
    FinalContents taken = finalContents;
    finalContents = null;
    return taken;
  }

  void clear() {
    points.clear();
  }

  void write(Output out) {
    out.writeVarint(points.size());
    points.forEach(
        (left, divergence) -> {
          out.writeId(left);
          divergence.write(out);
        });
  }

  /** Adds those of the primary. */
  void merge(Input in) {
    for (int count = in.readCount(MAX_DIVERGENCE_POINTS); count > 0; count--) {
      points.put(in.readId(), DivergencePoint.read(in));
    }
  }
}
