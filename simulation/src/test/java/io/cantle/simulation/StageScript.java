package io.cantle.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A script of what happens on a {@link ScriptedStage}, step by step.
 *
 * <p><b>Threading:</b> {@link #play} is called on any thread, which becomes the carrier; the script
 * runs on a thread within the simulation.
 */
@FunctionalInterface
public interface StageScript {
  /** How many seeds a script runs with unless it says otherwise. */
  int DEFAULT_SEED_COUNT = 20;

  /** Runs the script; what it throws fails the test. */
  void run(ScriptedStage stage) throws Exception;

  /** Plays a script with the usual number of seeds. */
  static void play(StageScript script) {
    play(DEFAULT_SEED_COUNT, script);
  }

  /**
   * Plays a script with the seeds from 1 on.
   *
   * @throws AssertionError naming the seed, with the last events, at the first failure
   */
  static void play(int seeds, StageScript script) {
    play(seeds, true, script);
  }

  /** Plays a script on a network that itself disturbs nothing, with views that are true. */
  static void playOnReliableNetwork(int seeds, StageScript script) {
    play(seeds, false, script);
  }

  private static void play(int seeds, boolean anyWeather, StageScript script) {
    for (long number = 1; number <= seeds; number++) {
      // The odd seeds have a good network.
      long seed = anyWeather ? number : 2 * number - 1;
      Throwable thrown = new ScriptedStage(seed, anyWeather, null).runScript(script);
      if (thrown != null) {
        String story = traceRun(seed, anyWeather, script);
        throw new AssertionError(
            "with seed " + seed + ": " + thrown.getMessage() + "\n" + story, thrown);
      }
    }
  }

  /** Plays a seed once more and returns the last events. */
  private static String traceRun(long seed, boolean anyWeather, StageScript script) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    Throwable again = new ScriptedStage(seed, anyWeather, print).runScript(script);
    print.println(again == null ? "played once more it went well" : "");
    print.flush();
    String text = bytes.toString(StandardCharsets.UTF_8);
    int last = 12_000;
    return text.substring(Math.max(0, text.length() - last));
  }
}
