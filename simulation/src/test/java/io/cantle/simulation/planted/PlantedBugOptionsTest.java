package io.cantle.simulation.planted;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlantedBugOptionsTest {

  @Test
  void campaignDefaultsToAllBugs() {
    PlantedBugOptions words = parse("--planted");
    assertThat(words.bugs()).isEqualTo(PlantedBugCatalog.all());
    assertThat(words.limits()).isEqualTo(new BugHunt.Limits(1, 2_000, 240));
    assertThat(words.childWords()).isNull();
  }

  @Test
  void campaignMayNameSomeBugs() {
    PlantedBugOptions words =
        parse(
            "--planted no-dedup --seeds 9 --first 5 --seconds 7 --threads 3 no-tombstone"
                + " --json planted.json");
    assertThat(words.bugs())
        .extracting(PlantedBug::name)
        .containsExactly("no-dedup", "no-tombstone");
    assertThat(words.limits()).isEqualTo(new BugHunt.Limits(5, 9, 7));
    assertThat(words.threads()).isEqualTo(3);
    assertThat(words.json()).isEqualTo(Path.of("planted.json"));
  }

  @Test
  void singleRunPassesOtherWordsOn() {
    assertThat(parse("--seeds 3 --plant no-dedup --json x").childWords())
        .containsExactly("--seeds", "3", "--json", "x");
    assertThat(parse("--plant no-dedup --seed 3").childWords())
        .containsExactly("--seed", "3", "--trace");
  }

  @Test
  void ordinaryWordsAreIgnored() {
    assertThat(PlantedBugOptions.isRequested(List.of("--seeds", "3"))).isFalse();
    assertThat(PlantedBugOptions.isRequested(List.of("--seeds", "3", "--planted"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--planted no-bug",
        "--planted --seeds",
        "--planted --seeds 0",
        "--planted --seeds x",
        "--planted --trace",
        "--planted --json no/planted.json",
        "--plant no-bug",
        "--plant no-dedup --planted",
        "--plant no-dedup --plant no-tombstone"
      })
  void refusesInvalidWords(String words) {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    PrintStream lines = new PrintStream(errors, true, UTF_8);
    assertThat(
            new PlantedBugCommand(run -> 0, lines, lines)
                .runCampaign(List.of(words.split(" ", -1))))
        .isEqualTo(2);
    assertThat(errors.toString(UTF_8)).startsWith("simulate: ").hasLineCount(1);
  }

  @Test
  void listsBugsWhenNoneIsNamed() {
    assertThatThrownBy(() -> parse("--plant")).hasMessageContaining("\n  no-dedup\n");
  }

  private static PlantedBugOptions parse(String words) {
    return PlantedBugOptions.of(List.of(words.split(" ", -1)));
  }
}
