package io.cantle.simulation.walk;

import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Descent;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Which of two sides goes on when they meet: the rule of the core, written apart from it.
 *
 * <p><b>Threading:</b> immutable.
 */
final class SideOrder {
  private SideOrder() {}

  /** Whether the first of two goes on. */
  static boolean goesOn(Charter one, Charter other) {
    UUID common = Descent.common(one.gridId(), one.descent(), other.gridId(), other.descent());
    if (common == null || common.equals(other.gridId())) {
      return false;
    }
    if (common.equals(one.gridId())) {
      return true;
    }
    Descent.Step mine = step(one, common);
    Descent.Step its = step(other, common);
    if (mine.number() != its.number()) {
      return mine.number() > its.number();
    }
    return mine.founders() != its.founders()
        ? mine.founders() > its.founders()
        : next(one, common).compareTo(next(other, common)) > 0;
  }

  private static Descent.Step step(Charter charter, UUID common) {
    return charter.descent().steps().stream()
        .filter(step -> step.grid().equals(common))
        .findFirst()
        .orElseThrow();
  }

  /** The grid that forked off the common one on the way to this. */
  private static UUID next(Charter charter, UUID common) {
    List<UUID> path =
        Stream.concat(
                charter.descent().steps().stream().map(Descent.Step::grid),
                Stream.of(charter.gridId()))
            .toList();
    return path.get(path.indexOf(common) + 1);
  }
}
