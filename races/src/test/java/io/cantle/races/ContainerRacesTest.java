package io.cantle.races;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.races.RaceResult.Verdict;
import io.cantle.simulation.planted.PlantedBug;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A short run of each tool on each container; {@code ./cantle races} is the long one. */
final class ContainerRacesTest {
  /** How often a bug is hunted: a run finds nearly every one, and fewer on a busy machine. */
  private static final int MAX_HUNTS = 5;

  @TempDir private Path folder = Path.of("");

  static Stream<Arguments> races() {
    return Arrays.stream(RacedContainer.values())
        .flatMap(kind -> Arrays.stream(RaceTool.values()).map(tool -> Arguments.of(kind, tool)));
  }

  @ParameterizedTest
  @MethodSource("races")
  void readersBesideAWriterSeeNothingWrong(RacedContainer kind, RaceTool tool) throws Exception {
    RaceResult result = new RaceCampaign(folder).run(kind, tool, RaceEffort.SMOKE, null);

    assertThat(result.verdict()).as(result.output()).isEqualTo(Verdict.CLEAN);
  }

  @ParameterizedTest
  @MethodSource("races")
  void plantedBugsAreFound(RacedContainer kind, RaceTool tool) throws Exception {
    for (PlantedBug bug : kind.bugs(tool)) {
      RaceResult result = hunt(kind, tool, bug);

      assertThat(result.verdict()).as(bug + "\n" + result.output()).isEqualTo(Verdict.FOUND);
    }
  }

  private RaceResult hunt(RacedContainer kind, RaceTool tool, PlantedBug bug) throws Exception {
    RaceResult result = new RaceCampaign(folder).run(kind, tool, RaceEffort.SMOKE, bug);
    for (int hunts = 1; result.verdict() == Verdict.CLEAN && hunts < MAX_HUNTS; hunts++) {
      result = new RaceCampaign(folder).run(kind, tool, RaceEffort.SMOKE, bug);
    }
    return result;
  }
}
