package io.cantle.races;

import io.cantle.simulation.planted.PlantedBug;
import io.cantle.simulation.planted.PlantedClassPath;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs races in child processes, which end with this object at the latest.
 *
 * <p><b>Threading:</b> one thread.
 */
final class RaceCampaign {
  private final Path folder;

  /**
   * Creates a campaign.
   *
   * @param folder for planted classes and results; it exists, and the caller removes it
   */
  RaceCampaign(Path folder) {
    this.folder = folder;
  }

  /**
   * Runs the races of a container.
   *
   * @param bug planted before, or null for none
   */
  RaceResult run(RacedContainer kind, RaceTool tool, RaceEffort effort, @Nullable PlantedBug bug)
      throws IOException, InterruptedException {
    String classPath = System.getProperty("java.class.path");
    if (bug != null) {
      classPath = plant(bug) + File.pathSeparator + classPath;
    }
    Path results = Files.createTempDirectory(folder, "results-");
    Path output = Files.createTempFile(folder, "output-", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath));
    command.addAll(tool.command(kind, effort, results));
    Process child =
        new ProcessBuilder(command)
            .directory(results.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    Thread ending = Thread.ofPlatform().unstarted(() -> end(child));
    Runtime.getRuntime().addShutdownHook(ending);
    try {
      if (!child.waitFor(effort.limit.toSeconds(), TimeUnit.SECONDS)) {
        return new RaceResult(
            RaceResult.Verdict.BROKEN,
            Files.readString(output) + "\nstopped after " + effort.limit);
      }
      String printed = Files.readString(output);
      return new RaceResult(tool.judge(child.exitValue(), printed), printed);
    } finally {
      end(child);
      Runtime.getRuntime().removeShutdownHook(ending);
    }
  }

  private Path plant(PlantedBug bug) throws IOException {
    Path classes = Files.createTempDirectory(folder, "classes-");
    PlantedClassPath.compile(bug, classes);
    return classes;
  }

  private static void end(Process child) {
    child.descendants().forEach(ProcessHandle::destroyForcibly);
    child.destroyForcibly();
  }
}
