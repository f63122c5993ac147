package io.cantle.core.partition;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.segment.SegmentTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where a replica diverged from other sides of a partition. It holds how far the replica
 * had come when it left each grid, and the final contents it had when its segment began empty or
 * its node was excluded.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
public final class DivergenceHistory {
  /** The number of former grids whose divergence points are remembered. */
  private static final int MAX_DIVERGENCE_POINTS = 32;

  /** What a replica held when it ended. */
  public record FinalContents(
      boolean isWhole,
      DivergencePoint lastDivergence,
      Map<UUID, DivergencePoint> divergences,
      List<Entry> entries,
      SegmentTime segmentTime) {}

  private final LinkedHashMap<UUID, DivergencePoint> points = new LinkedHashMap<>();
  private @Nullable UUID currentGridId;
  private @Nullable FinalContents finalContents;

  /** Begins in no grid. */
  public DivergenceHistory() {}

  /**
   * Records that the replica continues in a grid, which may be the same grid as before.
   *
   * @param reached how far the replica has come, or null if it does not hold everything
   */
  public void enterGrid(UUID next, @Nullable DivergencePoint reached) {
    UUID left = currentGridId;
    if (left != null && !left.equals(next) && reached != null) {
      points.put(left, reached);
      if (points.size() > MAX_DIVERGENCE_POINTS) {
        points.pollFirstEntry();
      }
    }
    currentGridId = next;
  }

  /** How far the replica had come when it left a grid; null if it was not there or began later. */
  public @Nullable DivergencePoint pointFrom(UUID left) {
    return points.get(left);
  }

  /**
   * Describes a replica that ends.
   *
   * @param isWhole whether it took part in all writes of its epoch
   */
  public FinalContents createFinalContents(
      boolean isWhole, DivergencePoint reached, List<Entry> entries, SegmentTime time) {
    return new FinalContents(isWhole, reached, Map.copyOf(points), entries, time);
  }

  /** Keeps the contents of a replica that is about to be dropped, until they are taken. */
  public void keepFinalContents(FinalContents held) {
    finalContents = held;
  }

  /** Returns the contents that were kept, once only. */
  public @Nullable FinalContents takeFinalContents() {
    FinalContents taken = finalContents;
    finalContents = null;
    return taken;
  }

  /** Forgets all points. */
  public void clear() {
    points.clear();
  }

  /** Writes the points. */
  public void write(Output out) {
    out.writeVarint(points.size());
    points.forEach(
        (left, divergence) -> {
          out.writeId(left);
          divergence.write(out);
        });
  }

  /** Adds the divergence points of the primary. */
  public void merge(Input in) {
    for (int count = in.readCount(MAX_DIVERGENCE_POINTS); count > 0; count--) {
      points.put(in.readId(), DivergencePoint.read(in));
    }
  }
}
