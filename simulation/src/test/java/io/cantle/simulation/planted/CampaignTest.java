package io.cantle.simulation.planted;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CampaignTest {
  /** Little can go wrong here, and a seed takes a moment. */
  private static final List<String> QUIET =
      List.of("--virtual-seconds", "5", "--faults", "join,pause", "--nodes", "3");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void findsWhatIsPlanted(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("planted.json");
    String words = "--planted ack-before-backups rest-skipped --seeds 200 --json " + json;
    assertThat(run(words)).isZero();
    assertThat(out.toString(UTF_8))
        .containsPattern("ack-before-backups +\\d+ seeds? +the primary answers before")
        .containsPattern("replay: ./cantle simulate --plant rest-skipped --seed \\d+\n")
        .containsPattern("\nplanted: 2\nfound: 2\nmedianSeeds: \\d+\nseconds: \\d+\n$");
    assertThat(Files.readString(json))
        .contains("  \"planted\": 2,\n  \"found\": 2,\n  \"medianSeeds\": ")
        .containsPattern("\"rest-skipped\": [1-9]");
    assertThat(errors.toString(UTF_8)).isEmpty();
  }

  @Test
  void walksOverTopologiesFindWhatIsPlantedInThePlanner() {
    String words = "--planted promote-only-all-together complete-joiner-dropped";
    assertThat(run(words)).as(out.toString(UTF_8)).isZero();
    assertThat(out.toString(UTF_8))
        .containsPattern("replay: ./cantle simulate --plant complete-joiner-dropped --seed \\d+\n")
        .contains("\nplanted: 2\nfound: 2\n");
  }

  @Test
  void seedThatIsViolatedWithoutTheBugShowsNothing() throws InterruptedException {
    try (Workshop workshop = new Workshop(Sources.find(), QUIET)) {
      Control control = new Control(workshop);
      Bug bug =
          Bug.of(
              "no-write",
              "nothing is ever written",
              "replica/Replica.java",
              "if (state.epoch() != epoch || !sessions.isPresent(command.session())) {",
              "if (state.epoch() >= 0) { throw new IllegalStateException(); } if (epoch < 0) {");
      control.know(bug, 1, false);
      Finding finding =
          new Hunt(bug, new Hunt.Limits(1, 1, 60), inAMinute()).run(workshop, control);
      assertThat(finding.found()).isFalse();
      assertThat(finding.said())
          .isEqualTo("nothing in 1 seeds but 1 that are violated without the bug too");
    }
  }

  @Test
  void controlTellsCleanSeedsFromOthers() throws InterruptedException {
    try (Workshop workshop = new Workshop(Sources.find(), QUIET)) {
      Control control = new Control(workshop);
      Bug bug = Bugs.named("partial-transfer");
      assertThat(control.clean(bug, 1)).isTrue();
      // The simulation refuses this one.
      assertThat(control.clean(bug, Long.MAX_VALUE)).isFalse();
    }
  }

  @Test
  void whatHelpsABugToShowDoesNoHarmItself() throws InterruptedException {
    List<Edit> aids = Bugs.all().stream().flatMap(bug -> bug.aids().stream()).distinct().toList();
    assertThat(aids).isNotEmpty();
    Bug all = new Bug("all-aids", "nothing but what helps bugs", List.of(), aids, List.of());
    try (Workshop workshop = new Workshop(Sources.find(), QUIET)) {
      CampaignResult result =
          new Campaign(workshop, new PrintStream(out, true, UTF_8))
              .run(List.of(all), new Hunt.Limits(1, 5, 60), 1, inAMinute());
      assertThat(result.found()).as(out.toString(UTF_8)).isZero();
      assertThat(out.toString(UTF_8)).contains("MISSED", "nothing in 5 seeds");
    }
  }

  @Test
  void bugThatIsMissedFailsTheCampaign() {
    assertThat(run("--planted left-undecided --seeds 1")).isEqualTo(1);
    assertThat(out.toString(UTF_8)).contains("MISSED").contains("planted: 1\nfound: 0\n");
  }

  @Test
  void campaignWhoseTimeIsOverHuntsNoMore() throws InterruptedException {
    try (Workshop workshop = new Workshop(Sources.find())) {
      Finding finding =
          new Hunt(Bugs.named("no-dedup"), new Hunt.Limits(1, 10, 60), System.nanoTime())
              .run(workshop, new Control(workshop));
      assertThat(finding.said()).contains("time of the campaign was over");
    }
  }

  @Test
  void seedsInTheMiddleCountMissedBugsAsTheLimit() {
    CampaignResult result = new CampaignResult(2_000);
    Bug bug = Bugs.named("no-dedup");
    result.add(new Finding(bug, true, 7, 7, ""));
    assertThat(result.medianSeeds()).isEqualTo(7);
    result.add(new Finding(bug, false, 30, 0, ""));
    assertThat(result.medianSeeds()).isEqualTo(2_000);
    result.add(new Finding(bug, true, 90, 90, ""));
    assertThat(result.medianSeeds()).isEqualTo(90);
    assertThat(result.foundAll()).isFalse();
  }

  @Test
  void closedWorkshopLeavesNothingBehind() throws Exception {
    Workshop workshop = new Workshop(Sources.find());
    Bug bug = Bugs.named("no-dedup");
    workshop.plant(bug);
    Process child = workshop.start(bug, List.of("--seeds", "1000000"), Redirect.DISCARD);
    Path folder = workshop.folder();
    assertThat(folder).isDirectory();
    workshop.close();
    assertThat(child.isAlive()).isFalse();
    assertThat(folder).doesNotExist();
  }

  private static long inAMinute() {
    return System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
  }

  private int run(String words) {
    return new PlantedMain(new PrintStream(out, true, UTF_8), new PrintStream(errors, true, UTF_8))
        .run(List.of(words.split(" ", -1)));
  }
}
