package io.cantle.simulation.scenario;

import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import java.util.function.Consumer;

/**
 * Lets something happen while a node is within a scan: functions that are sent there call back. A
 * function knows nothing of the stage it runs on, so there is one at a time.
 *
 * <p><b>Threading:</b> the carrier of its seed; scripts are played one after the other.
 */
final class ScanInterceptor {
  private static volatile Runnable hook = () -> {};

  private static volatile Consumer<String> keys = key -> {};

  private ScanInterceptor() {}

  /** Has something happen when a node has looked at so many entries. */
  static void runDuringScan(ScriptedStage stage, StageNode actor, int entries, Runnable action) {
    int[] seen = new int[1];
    hook =
        () -> {
          if (stage.currentNode() == actor && ++seen[0] == entries) {
            action.run();
          }
        };
  }

  /** Called by functions for each entry; always true. */
  static boolean wasScanned() {
    hook.run();
    return true;
  }

  /** Has something done with each key that a node looks at, there. */
  static void onEachScan(Consumer<String> action) {
    keys = action;
  }

  /** Called by functions for each key. */
  static void onScanned(String key) {
    keys.accept(key);
  }
}
