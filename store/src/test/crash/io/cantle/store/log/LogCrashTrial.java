package io.cantle.store.log;

import io.cantle.store.disk.SyncPoint;
import java.util.Set;

/**
 * Runs logs through several incarnations on the simulated disk, one for each seed.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LogCrashTrial {
  private static final int INCARNATIONS = 4;
  private static final int DROPPING_SEEDS = 20;

  private LogCrashTrial() {}

  /**
   * Runs a seed.
   *
   * @param forgotten the syncs that the disk ignores, although it reports success
   * @return how often the log crashed
   * @throws AssertionError if the log did not have what it must have, naming the seed
   */
  public static int runSeed(long seed, Set<SyncPoint> forgotten) {
    return runSeed(seed, LogOptions.DEFAULT, forgotten);
  }

  /** Runs a seed of a log with the strategy of these options, flushing or not as they say. */
  static int runSeed(long seed, LogOptions options, Set<SyncPoint> forgotten) {
    LogCrashRun run = new LogCrashRun(seed, options);
    forgotten.forEach(run.disk::forgetSync);
    try {
      run.runIncarnations(INCARNATIONS);
    } catch (Throwable e) {
      throw new AssertionError("log, seed " + seed + ": " + e.getMessage(), e);
    }
    return run.disk.restarts();
  }

  /** Whether a seed, or the file drops made from it, notices that a sync is ignored. */
  public static boolean noticesForgottenSync(long seed, SyncPoint forgotten) {
    try {
      int _ = runSeed(seed, Set.of(forgotten));
      int _ = seed < DROPPING_SEEDS ? dropsFiles(seed, Set.of(forgotten)) : 0;
      return false;
    } catch (AssertionError _) {
      return true;
    }
  }

  /**
   * Drops a file and stops in each call of the drop, and then in each call of the recovery.
   *
   * @return how many pairs of calls there are
   * @throws AssertionError if the log did not have what it must have
   */
  public static int dropsFiles(long seed, Set<SyncPoint> forgotten) {
    int pairs = 0;
    boolean reached = true;
    for (int call = 1; reached; call++) {
      reached = false;
      for (int next = 1; next == 1 || reached; next++) {
        LogCrashRun run = new LogCrashRun(seed, (int) seed % 2, true, LogOptions.DEFAULT);
        forgotten.forEach(run.disk::forgetSync);
        try {
          reached = run.dropThenRecover(call, next);
          pairs++;
        } catch (Throwable e) {
          throw new AssertionError("seed " + seed + ", calls " + call + " and " + next, e);
        }
        if (!reached) {
          reached = next > 1;
          break;
        }
      }
    }
    return pairs;
  }
}
