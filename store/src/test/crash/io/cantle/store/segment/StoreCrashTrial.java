package io.cantle.store.segment;

import io.cantle.store.disk.SyncPoint;
import java.util.EnumSet;
import java.util.Set;

/**
 * Runs stores through several incarnations on the simulated disk, one for each seed.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class StoreCrashTrial {
  /** The syncs that a store needs besides those of its log. */
  public static final Set<SyncPoint> SYNCS =
      Set.copyOf(EnumSet.range(SyncPoint.RUN, SyncPoint.SNAPSHOT_NAME));

  private static final int INCARNATIONS = 5;

  private StoreCrashTrial() {}

  /**
   * Runs a seed.
   *
   * @param forgotten the syncs that the disk ignores, although it reports success
   * @return how often the store crashed
   * @throws AssertionError if the store did not have what it must have, naming the seed
   */
  public static int runSeed(long seed, Set<SyncPoint> forgotten) {
    StoreCrashRun run = new StoreCrashRun(seed);
    forgotten.forEach(run.disk::forgetSync);
    try {
      run.runIncarnations(INCARNATIONS);
    } catch (Throwable e) {
      throw new AssertionError("store, seed " + seed + ": " + e.getMessage(), e);
    }
    return run.disk.restarts();
  }

  /** Whether a seed notices that a sync is ignored. */
  public static boolean noticesForgottenSync(long seed, SyncPoint forgotten) {
    try {
      int _ = runSeed(seed, Set.of(forgotten));
      return false;
    } catch (AssertionError _) {
      return true;
    }
  }
}
