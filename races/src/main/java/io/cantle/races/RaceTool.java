package io.cantle.races;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The tools that look for races. Each runs in a process of its own: a planted bug may loop for
 * ever, and Lincheck changes the classes of its process.
 *
 * <p><b>Threading:</b> immutable.
 */
enum RaceTool {
  /** Interleaves threads one step at a time, in the order of a sequentially consistent memory. */
  LINCHECK {
    @Override
    List<String> command(RacedContainer kind, RaceEffort effort, Path results) {
      return List.of(
          "-XX:+UseSerialGC",
          "-Xmx1g",
          "-XX:+EnableDynamicAgentLoading",
          property(kind),
          LincheckRun.class.getName(),
          Integer.toString(effort.scenarios),
          Integer.toString(effort.interleavings));
    }

    @Override
    RaceResult.Verdict judge(int status, String output) {
      return status == LincheckRun.FOUND_STATUS
          ? RaceResult.Verdict.FOUND
          : status == 0 ? RaceResult.Verdict.CLEAN : RaceResult.Verdict.BROKEN;
    }
  },

  /** Runs threads side by side, with the reordering of the compiler and the processor. */
  JCSTRESS {
    @Override
    List<String> command(RacedContainer kind, RaceEffort effort, Path results) {
      List<String> command = new ArrayList<>();
      command.add("-XX:+UseSerialGC");
      command.add("-Xmx256m");
      command.add(STRESS_PROGRAM);
      // One configuration of the JVM and no pinning: the machine may have two processors only.
      command.addAll(List.of("-jvmArgs", "-XX:+UseSerialGC -Xmx256m " + property(kind)));
      command.addAll(List.of("-sc", "false", "-af", "NONE"));
      command.addAll(List.of("-t", kind.stressTests().getName(), "-r", results.toString()));
      command.addAll(effort.stressArguments());
      return command;
    }

    @Override
    RaceResult.Verdict judge(int status, String output) {
      List<MatchResult> sums = STRESS_SUM.matcher(output).results().toList();
      if (sums.isEmpty()) {
        return RaceResult.Verdict.BROKEN;
      }
      MatchResult last = sums.getLast();
      int passed = Integer.parseInt(last.group(1));
      int failed = Integer.parseInt(last.group(2));
      int errors = Integer.parseInt(last.group(3));
      return failed > 0
          ? RaceResult.Verdict.FOUND
          : passed > 0 && errors == 0 ? RaceResult.Verdict.CLEAN : RaceResult.Verdict.BROKEN;
    }
  };

  private static final String STRESS_PROGRAM = "org.openjdk.jcstress.Main";
  private static final Pattern STRESS_SUM =
      Pattern.compile("(\\d+) passed, (\\d+) failed, \\d+ soft errs, (\\d+) hard errs");

  /** The arguments of a JVM that runs this tool on a container. */
  abstract List<String> command(RacedContainer kind, RaceEffort effort, Path results);

  /** What the tool says by its end and its output. */
  abstract RaceResult.Verdict judge(int status, String output);

  /** Its name in reports. */
  String argument() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static String property(RacedContainer kind) {
    return "-D" + RacedContainer.PROPERTY + "=" + kind.argument();
  }
}
