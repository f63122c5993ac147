package io.cantle.store.log;

import io.cantle.store.disk.SyncPoint;
import java.util.Set;

/**
 * Logs that live several lives on the simulated disk, one from each seed.
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
   * @param forgotten what the disk does not make durable, though it says so
   * @return how often the log crashed
   * @throws AssertionError if it did not have what it had to, naming the seed
   */
  public static int runSeed(long seed, Set<SyncPoint> forgotten) {
    LogCrashRun run = new LogCrashRun(seed);
    forgotten.forEach(run.disk::forgetSync);
    try {
      run.runIncarnations(INCARNATIONS);
    } catch (Throwable e) {
      throw new AssertionError("log, seed " + seed + ": " + e.getMessage(), e);
    }
    return run.disk.restarts();
  }

  /** Whether a seed, or what it makes of the drop of a file, notices that a sync is forgotten. */
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
   * Drops a file, stops in each call of that, and then in each of the recovery.
   *
   * @return how many pairs of calls there are
   * @throws AssertionError if the log did not have what it had to
   */
  public static int dropsFiles(long seed, Set<SyncPoint> forgotten) {
    int pairs = 0;
    boolean reached = true;
    for (int call = 1; reached; call++) {
      reached = false;
      for (int next = 1; next == 1 || reached; next++) {
        LogCrashRun run =
            new LogCrashRun(
                seed,
                LogOptions.of(SyncPolicy.GROUP)
                    .withFileBytes(1 << 15)
                    .withSpareFiles((int) seed % 2),
                true);
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
