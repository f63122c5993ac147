package io.cantle.simulation.scenario;

import io.cantle.simulation.Actor;
import io.cantle.simulation.Stage;
import java.util.function.Consumer;

/**
 * Lets something happen while a node is within a scan: functions that are sent there call back. A
 * function knows nothing of the stage it runs on, so there is one at a time.
 *
 * <p><b>Threading:</b> the carrier of its seed; scripts are played one after the other.
 */
final class Scanning {
  private static volatile Runnable hook = () -> {};

  private static volatile Consumer<String> keys = key -> {};

  private Scanning() {}

  /** Has something happen when a node has looked at so many entries. */
  static void whenScanned(Stage stage, Actor actor, int entries, Runnable action) {
    int[] seen = new int[1];
    hook =
        () -> {
          if (stage.here() == actor && ++seen[0] == entries) {
            action.run();
          }
        };
  }

  /** Called by functions for each entry; always true. */
  static boolean scanned() {
    hook.run();
    return true;
  }

  /** Has something done with each key that a node looks at, there. */
  static void eachScanned(Consumer<String> action) {
    keys = action;
  }

  /** Called by functions for each key. */
  static void scanned(String key) {
    keys.accept(key);
  }
}
