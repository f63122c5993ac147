package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;

/**
 * How often other writes have overtaken a function of a command here, in all runs of an attempt. A
 * command that is refused for another reason, as while its segment moves, has lost no race, however
 * many attempts it takes. A bounded number of commands is remembered, those that lost last; one
 * that is forgotten begins anew, and its caller's deadline ends it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LostRaceTable {
  /** About as many commands as may run at once. */
  static final int MAX_COMMANDS = FunctionExecutor.MAX_COMMANDS;

  /**
   * The most attempts of a function that are overtaken. Each is many runs, as by a function that
   * causes a write of its own key.
   */
  static final int MAX_LOST_ATTEMPTS = 16;

  @GuardedBy("this")
  private final LinkedHashMap<CommandKey, Integer> lostAttempts = new LinkedHashMap<>();

  /** Records that an attempt was overtaken; returns whether the command is not to try again. */
  synchronized boolean recordLost(CommandKey command) {
    Integer before = lostAttempts.remove(command);
    int lost = before == null ? 1 : before + 1;
    if (lost >= MAX_LOST_ATTEMPTS) {
      return true;
    }
    lostAttempts.put(command, lost);
    if (lostAttempts.size() > MAX_COMMANDS) {
      lostAttempts.pollFirstEntry();
    }
    return false;
  }
}
