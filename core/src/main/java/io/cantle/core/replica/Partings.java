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
final class Partings {
  /** Of how many grids that were left it is remembered how far the copy had come. */
  private static final int MAX_PARTINGS = 32;

  /** What a copy held when it ended. */
  record Orphaned(
      boolean whole,
      Parting last,
      Map<UUID, Parting> partings,
      List<Entry> entries,
      SegmentTime time) {}

  private final LinkedHashMap<UUID, Parting> partings = new LinkedHashMap<>();
  private @Nullable UUID grid;
  private @Nullable Orphaned orphaned;

  /**
   * The copy goes on in a grid, which may be the one it is in.
   *
   * @param reached how far it has come, or null if it does not hold everything
   */
  void goOn(UUID next, @Nullable Parting reached) {
    UUID left = grid;
    if (left != null && !left.equals(next) && reached != null) {
      partings.put(left, reached);
      if (partings.size() > MAX_PARTINGS) {
        partings.pollFirstEntry();
      }
    }
    grid = next;
  }

  /** A copy that ends. */
  Orphaned orphan(ReplicaState state, Parting reached, List<Entry> entries, SegmentTime time) {
    boolean whole = state.role() != Role.KEEPER;
    return new Orphaned(whole, reached, Map.copyOf(partings), entries, time);
  }

  /** The copy is about to be dropped: what it held is kept until it is asked for. */
  void keep(Orphaned held) {
    orphaned = held;
  }

  @Nullable Orphaned takeOrphaned() {
    Orphaned taken = orphaned;
    orphaned = null;
    return taken;
  }

  void clear() {
    partings.clear();
  }

  void write(Output out) {
    out.writeVarint(partings.size());
    partings.forEach(
        (left, parting) -> {
          out.writeId(left);
          parting.write(out);
        });
  }

  /** Adds those of the primary. */
  void merge(Input in) {
    for (int count = in.readCount(MAX_PARTINGS); count > 0; count--) {
      partings.put(in.readId(), Parting.read(in));
    }
  }
}
