package io.cantle.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What happens on a {@link ScriptedStage}, told step by step.
 *
 * <p><b>Threading:</b> {@link #play} is called on any thread, which becomes the carrier; the script
 * runs on a thread within the simulation.
 */
@FunctionalInterface
public interface StageScript {
  /** With how many seeds a script is played unless it says otherwise. */
  int DEFAULT_SEED_COUNT = 20;

  /** Lets it happen; what is thrown fails the test. */
  void run(ScriptedStage stage) throws Exception;

  /** Plays a script with the usual number of seeds. */
  static void play(StageScript script) {
    play(DEFAULT_SEED_COUNT, script);
  }

  /**
   * Plays a script with the seeds from 1 on.
   *
   * @throws AssertionError naming the seed, with the last things that happened, at the first
   *     failure
   */
  static void play(int seeds, StageScript script) {
    play(seeds, true, script);
  }

  /** Plays a script on a network that does nothing by itself, with views that are true. */
  static void playOnReliableNetwork(int seeds, StageScript script) {
    play(seeds, false, script);
  }

  private static void play(int seeds, boolean anyWeather, StageScript script) {
    for (long number = 1; number <= seeds; number++) {
      // The odd ones have fair weather.
      long seed = anyWeather ? number : 2 * number - 1;
      Throwable thrown = new ScriptedStage(seed, anyWeather, null).runScript(script);
      if (thrown != null) {
        String story = traceRun(seed, anyWeather, script);
        throw new AssertionError(
            "with seed " + seed + ": " + thrown.getMessage() + "\n" + story, thrown);
      }
    }
  }

  /** The last things that happen when a seed is played once more. */
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
