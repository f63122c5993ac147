package io.cantle.chaos.scenario;

import io.cantle.chaos.process.ChaosException;
import io.cantle.simulation.planted.PlantedBug;
import io.cantle.simulation.planted.PlantedClassPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario in a folder of its own, which is removed afterwards unless something was
 * violated.
 *
 * <p><b>Threading:</b> the main thread; another one kills the processes when the command is
 * interrupted.
 */
public final class ScenarioRunner {
  private ScenarioRunner() {}

  /**
   * Runs a scenario.
   *
   * @param bug the bug planted in its nodes, or null
   * @param kept the folder for its files, which stays; null for one that is removed if all is well
   * @param progress receives lines for people
   */
  public static ScenarioResult run(
      ChaosScenario scenario,
      ScenarioSettings settings,
      @Nullable PlantedBug bug,
      @Nullable Path kept,
      Consumer<String> progress)
      throws ChaosException, IOException, InterruptedException {
    Path folder =
        kept == null
            ? Files.createTempDirectory("cantle-" + scenario.name() + "-")
            : Files.createDirectories(kept);
    boolean keeps = true;
    try (ScenarioRun run =
        new ScenarioRun(settings, folder, compilePlanted(bug, folder), progress)) {
      Thread atExit = Thread.ofPlatform().unstarted(run::close);
      Runtime.getRuntime().addShutdownHook(atExit);
      ScenarioResult result = scenario.run(run);
      Runtime.getRuntime().removeShutdownHook(atExit);
      keeps = kept != null || !result.violations().isEmpty();
      return result;
    } finally {
      if (keeps) {
        progress.accept("logs are in " + folder);
      } else {
        ScenarioRun.removeFolder(folder);
      }
    }
  }

  private static @Nullable Path compilePlanted(@Nullable PlantedBug bug, Path folder)
      throws IOException {
    if (bug == null) {
      return null;
    }
    Path classes = Files.createDirectories(folder.resolve("planted"));
    PlantedClassPath.compile(bug, classes);
    return classes;
  }
}
