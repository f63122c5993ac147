package io.cantle.core.ownership;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The grids from which a grid has forked. Grids that descend from one grid are a family. When two
 * of a family meet, one of them gives way, and all nodes agree on which one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param steps the grids that were left, the oldest first
 */
public record GridLineage(List<ForkStep> steps) {
  /** The lineage of a grid that was founded and is a fork of none. */
  public static final GridLineage NONE = new GridLineage(List.of());

  /** The most steps kept; older ones are forgotten. */
  static final int MAX_STEPS = 32;

  /**
   * A grid that was left.
   *
   * @param gridId the id of that grid
   * @param topologyNumber the number of its topology from which the fork went on
   * @param founderCount how many members left it together; 0 if they brought no replicas along
   * @param givenUp the nodes an operator gave up, if the fork is a recovery; what they hold of that
   *     grid counts in no later one
   */
  public record ForkStep(UUID gridId, long topologyNumber, int founderCount, List<UUID> givenUp) {
    /** Copies the list. */
    public ForkStep {
      givenUp = List.copyOf(givenUp);
    }

    /** A grid that cut-off members left. */
    public ForkStep(UUID gridId, long topologyNumber, int founderCount) {
      this(gridId, topologyNumber, founderCount, List.of());
    }

    boolean isRecovery() {
      return !givenUp.isEmpty();
    }
  }

  /** Copies the list. */
  public GridLineage {
    steps = List.copyOf(steps);
  }

  /** The lineage of a grid that goes on from the one that has this lineage. */
  GridLineage withStep(ForkStep step) {
    List<ForkStep> extended = new ArrayList<>(steps);
    extended.add(step);
    return new GridLineage(
        extended.subList(Math.max(0, extended.size() - MAX_STEPS), extended.size()));
  }

  /** The grids of this lineage from the oldest on, then the grid itself. */
  private List<UUID> path(UUID grid) {
    return Stream.concat(steps.stream().map(ForkStep::gridId), Stream.of(grid)).toList();
  }

  /**
   * The last grid that two grids have in common, which may be one of the two; null if there is
   * none.
   */
  public static @Nullable UUID commonGrid(
      UUID one, GridLineage ofOne, UUID other, GridLineage ofOther) {
    List<UUID> others = ofOther.path(other);
    return ofOne.path(one).reversed().stream().filter(others::contains).findFirst().orElse(null);
  }

  /**
   * Whether the first of two grids of a family is the one that goes on. A grid prevails over its
   * descendants. Otherwise the one prevails that left their common grid at the later topology, for
   * it may know writes the other does not; then the one with more founders; then the one with the
   * higher id. None of these values ever changes, so nodes that compare at different times agree.
   */
  public static boolean prevails(UUID one, GridLineage ofOne, UUID other, GridLineage ofOther) {
    UUID common = commonGrid(one, ofOne, other, ofOther);
    if (common == null || common.equals(other)) {
      return false;
    }
    if (common.equals(one)) {
      return true;
    }
    ForkStep firstStep = ofOne.stepFrom(common);
    ForkStep secondStep = ofOther.stepFrom(common);
    if (firstStep.topologyNumber != secondStep.topologyNumber) {
      return firstStep.topologyNumber > secondStep.topologyNumber;
    }
    if (firstStep.founderCount != secondStep.founderCount) {
      return firstStep.founderCount > secondStep.founderCount;
    }
    return ofOne.gridAfter(common, one).compareTo(ofOther.gridAfter(common, other)) > 0;
  }

  /**
   * Whether, since that grid was left, a grid was founded without replicas, so that epochs began
   * anew.
   */
  public boolean hasRestartedSince(UUID grid) {
    return steps.stream()
        .dropWhile(step -> !step.gridId.equals(grid))
        .anyMatch(step -> step.founderCount == 0);
  }

  /** The step at which a grid of this lineage was left. */
  public ForkStep stepFrom(UUID grid) {
    return steps.stream().filter(step -> step.gridId.equals(grid)).findFirst().orElseThrow();
  }

  private UUID gridAfter(UUID grid, UUID self) {
    List<UUID> path = path(self);
    return path.get(path.indexOf(grid) + 1);
  }

  /** The step at which a grid was recovered from which this one descends; null if it was not. */
  public @Nullable ForkStep recoveryOf(UUID grid) {
    return steps.stream()
        .filter(step -> step.isRecovery() && step.gridId.equals(grid))
        .findFirst()
        .orElse(null);
  }

  /** Whether a node was given up in a recovery of this lineage. */
  boolean isGivenUp(UUID node) {
    return steps.stream().anyMatch(step -> step.givenUp.contains(node));
  }

  /** Writes all steps. */
  public void write(Output out) {
    out.writeList(
        steps,
        step -> {
          out.writeId(step.gridId);
          out.writeVarint(step.topologyNumber);
          out.writeVarint(step.founderCount);
          out.writeList(step.givenUp, out::writeId);
        });
  }

  /** Reads what {@link #write} wrote. */
  public static GridLineage read(Input in) {
    return read(in, true);
  }

  /**
   * Reads a lineage.
   *
   * @param tellsGivenUp whether it lists the nodes given up; lineages from before there were
   *     recoveries do not
   */
  static GridLineage read(Input in, boolean tellsGivenUp) {
    return new GridLineage(in.readList(MAX_STEPS, step -> readStep(step, tellsGivenUp)));
  }

  private static ForkStep readStep(Input in, boolean tellsGivenUp) {
    return new ForkStep(
        in.readId(),
        in.readVarint(),
        in.readCount(),
        tellsGivenUp ? in.readList(Topology.MAX_MEMBERS, Input::readId) : List.of());
  }
}
