package io.cantle.simulation.planted;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Main;
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

final class BugCampaignTest {
  /** Arguments for a run in which little can go wrong and a seed takes a moment. */
  private static final List<String> QUIET =
      List.of("--virtual-seconds", "5", "--faults", "join,pause", "--nodes", "3");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void findsPlantedBugs(@TempDir Path folder) throws IOException {
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
  void seedViolatedWithoutTheBugDoesNotCount() throws InterruptedException {
    try (PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot(), QUIET)) {
      CleanSeedCheck cleanSeedCheck = new CleanSeedCheck(workspace, Main::runQuietly);
      PlantedBug bug =
          PlantedBug.of(
              "no-write",
              "nothing is ever written",
              "replica/CommandRules.java",
              "if (state.epoch() != epoch || !sessions.isLive(command.session())) {",
              "if (state.epoch() >= 0) { throw new IllegalStateException(); } if (epoch < 0) {");
      cleanSeedCheck.recordKnown(bug, 1, false);
      HuntResult finding =
          new BugHunt(bug, new BugHunt.Limits(1, 1, 60), inAMinute())
              .run(workspace, cleanSeedCheck);
      assertThat(finding.isFound()).isFalse();
      assertThat(finding.message())
          .isEqualTo("nothing in 1 seeds but 1 that are violated without the bug too");
    }
  }

  @Test
  void controlDistinguishesCleanSeeds() throws InterruptedException {
    try (PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot(), QUIET)) {
      CleanSeedCheck cleanSeedCheck = new CleanSeedCheck(workspace, Main::runQuietly);
      PlantedBug bug = PlantedBugCatalog.find("partial-transfer");
      assertThat(cleanSeedCheck.isClean(bug, 1)).isTrue();
      // The simulation refuses this seed.
      assertThat(cleanSeedCheck.isClean(bug, Long.MAX_VALUE)).isFalse();
    }
  }

  @Test
  void helperEditsCauseNoViolations() throws InterruptedException {
    List<SourceEdit> aids =
        PlantedBugCatalog.all().stream()
            .flatMap(bug -> bug.helperEdits().stream())
            .distinct()
            .toList();
    assertThat(aids).isNotEmpty();
    PlantedBug all =
        new PlantedBug("all-aids", "nothing but what helps bugs", List.of(), aids, List.of());
    try (PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot(), QUIET)) {
      BugCampaignResult result =
          new BugCampaign(
                  workspace,
                  new CleanSeedCheck(workspace, Main::runQuietly),
                  new PrintStream(out, true, UTF_8))
              .run(List.of(all), new BugHunt.Limits(1, 5, 60), 1, inAMinute());
      assertThat(result.foundCount()).as(out.toString(UTF_8)).isZero();
      assertThat(out.toString(UTF_8)).contains("MISSED", "nothing in 5 seeds");
    }
  }

  @Test
  void missedBugFailsTheCampaign() {
    assertThat(run("--planted left-undecided --first 2 --seeds 1")).isEqualTo(1);
    assertThat(out.toString(UTF_8)).contains("MISSED").contains("planted: 1\nfound: 0\n");
  }

  @Test
  void campaignStopsAtItsTimeLimit() throws InterruptedException {
    try (PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot())) {
      HuntResult finding =
          new BugHunt(
                  PlantedBugCatalog.find("no-dedup"),
                  new BugHunt.Limits(1, 10, 60),
                  System.nanoTime())
              .run(workspace, new CleanSeedCheck(workspace, Main::runQuietly));
      assertThat(finding.message()).contains("time of the campaign was over");
    }
  }

  @Test
  void medianCountsMissedBugsAsTheLimit() {
    BugCampaignResult result = new BugCampaignResult(2_000);
    PlantedBug bug = PlantedBugCatalog.find("no-dedup");
    result.add(new HuntResult(bug, true, 7, 7, ""));
    assertThat(result.medianSeedCount()).isEqualTo(7);
    result.add(new HuntResult(bug, false, 30, 0, ""));
    assertThat(result.medianSeedCount()).isEqualTo(2_000);
    result.add(new HuntResult(bug, true, 90, 90, ""));
    assertThat(result.medianSeedCount()).isEqualTo(90);
    assertThat(result.isEverythingFound()).isFalse();
  }

  @Test
  void closedWorkshopLeavesNothingBehind() throws Exception {
    PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot());
    PlantedBug bug = PlantedBugCatalog.find("no-dedup");
    workspace.compileBug(bug);
    Process child = workspace.start(bug, List.of("--seeds", "1000000"), Redirect.DISCARD);
    Path folder = workspace.folder();
    assertThat(folder).isDirectory();
    workspace.close();
    assertThat(child.isAlive()).isFalse();
    assertThat(folder).doesNotExist();
  }

  private static long inAMinute() {
    return System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
  }

  private int run(String words) {
    return new PlantedBugCommand(
            Main::runQuietly,
            new PrintStream(out, true, UTF_8),
            new PrintStream(errors, true, UTF_8))
        .runCampaign(List.of(words.split(" ", -1)));
  }
}
