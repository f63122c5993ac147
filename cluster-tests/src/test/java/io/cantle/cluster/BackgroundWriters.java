package io.cantle.cluster;

import io.cantle.Cache;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writers that remember their results. Each has keys of its own, counts up their values, removes
 * one now and then, and reads what it wrote. So the possible values of each key are known.
 *
 * <p><b>Threading:</b> one thread, the test's; each writer is one.
 */
final class BackgroundWriters implements AutoCloseable {
  private static final int KEYS_PER_WRITER = 40;
  private static final int REMOVE_INTERVAL = 7;
  private static final long REMOVED = 0;

  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, WriteFate> fates = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> mistakes = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<GridException> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private volatile boolean stopped;

  /** What a key may hold: the last acknowledged value, or one in doubt, now or later. */
  private record WriteFate(long isSure, List<Long> possible) {
    boolean allows(@Nullable Long value) {
      long found = value == null ? REMOVED : value;
      return found == isSure || possible.contains(found);
    }
  }

  /** Starts this many writers on each of the caches; keys begin with {@code busy}. */
  BackgroundWriters(List<Cache<String, Long>> caches, int each) {
    for (Cache<String, Long> cache : caches) {
      for (int index = 0; index < each; index++) {
        String prefix = "busy-" + threads.size() + "-";
        threads.add(Thread.ofVirtual().name(prefix).start(() -> startWriting(cache, prefix)));
      }
    }
  }

  private void startWriting(Cache<String, Long> cache, String prefix) {
    for (long count = 1; !stopped; count++) {
      String key = prefix + count % KEYS_PER_WRITER;
      long value = count % REMOVE_INTERVAL == 0 ? REMOVED : count;
      WriteFate before = fates.getOrDefault(key, new WriteFate(REMOVED, List.of()));
      try {
        Long previous = value == REMOVED ? cache.remove(key) : cache.put(key, value);
        if (!before.allows(previous)) {
          mistakes.add("writing %s met %s, not %s".formatted(key, previous, before));
        }
        WriteFate after = new WriteFate(value, before.possible());
        fates.put(key, after);
        acknowledged.incrementAndGet();
        Long found = cache.get(key);
        if (!after.allows(found)) {
          mistakes.add("%s was %s right after it became %s".formatted(key, found, after));
        }
      } catch (IndeterminateException e) {
        failures.add(e);
        List<Long> possible = new ArrayList<>(before.possible());
        possible.add(value);
        fates.put(key, new WriteFate(before.isSure(), possible));
      } catch (GridException e) {
        failures.add(e);
      } catch (RuntimeException e) {
        mistakes.add("%s failed with %s".formatted(key, e));
        return;
      }
    }
  }

  /** Returns when this many more writes were acknowledged, which proves that writing goes on. */
  void awaitMoreWrites(int writes) {
    long wanted = acknowledged.get() + writes;
    ConditionWait.until(
        writes + " more writes",
        () -> acknowledged.get() >= wanted,
        () -> List.of(mistakes, failures));
  }

  /** Returns the harmless exceptions of calls; must be empty while no node crashes. */
  List<GridException> failures() {
    return List.copyOf(failures);
  }

  /** Ends writing, then returns what differs from what was acknowledged; must be empty. */
  List<String> lostKeys(Cache<String, Long> cache) {
    close();
    List<String> lost = new ArrayList<>(mistakes);
    fates.forEach(
        (key, fate) -> {
          Long found = cache.get(key);
          if (!fate.allows(found)) {
            lost.add("%s is %s, not %s".formatted(key, found, fate));
          }
        });
    return lost;
  }

  @Override
  public void close() {
    stopped = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
