package io.cantle.simulation.scenario;

import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import java.util.function.Consumer;

/**
 * Runs an action while a node is within a scan: functions that are sent there call back. A function
 * knows nothing of the stage it runs on, so there is one action at a time.
 *
 * <p><b>Threading:</b> the carrier of its seed; scripts are played one after the other.
 */
final class ScanInterceptor {
  private static volatile Runnable hook = () -> {};

  private static volatile Consumer<String> keys = key -> {};

  private ScanInterceptor() {}

  /** Runs an action when a node has scanned this many entries. */
  static void runDuringScan(ScriptedStage stage, StageNode actor, int entries, Runnable action) {
    int[] seen = new int[1];
    hook =
        () -> {
          if (stage.currentNode() == actor && ++seen[0] == entries) {
            action.run();
          }
        };
  }

  /** Called by functions for each entry; always returns true. */
  static boolean wasScanned() {
    hook.run();
    return true;
  }

  /** Runs an action at a node for each key it scans. */
  static void onEachScan(Consumer<String> action) {
    keys = action;
  }

  /** Called by functions for each key. */
  static void onScanned(String key) {
    keys.accept(key);
  }
}
